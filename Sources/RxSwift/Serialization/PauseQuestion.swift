// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// A source's question whether it has to pause, which waits at a busy serializer for the drainer.
///
/// The source pauses meanwhile, since the serializer already has work that waits. The drainer asks the stages below, and resumes the source if none of
/// them pauses it.
struct PauseQuestion {
    /// First, so that a pointer to it is a pointer to the node.
    private var head = DrainNode.question
    private let source: any PausableSource

    private init(of source: any PausableSource) { self.source = source }

    static func make(of source: any PausableSource) -> UnsafeMutablePointer<DrainNode> {
        NodeMemory.make(PauseQuestion(of: source))
    }

    /// Takes the source that asks, and frees the node.
    static func take(_ node: UnsafeMutablePointer<DrainNode>) -> any PausableSource {
        NodeMemory.take(node, as: PauseQuestion.self).source
    }
}

extension Serializer {
    /// The number of pending nodes from which on a question waits for its turn.
    ///
    /// With fewer, a source that finds the serializer busy continues: to pause it would cost more than the few events that it adds.
    private static var minQueuedNodes: Int {
        #if RX_MODEL_CHECK
            1
        #else
            64
        #endif
    }

    /// `minQueuedNodes` for elements with a weight, each of which may be a megabyte.
    private static var minWeighingNodes: Int { min(2, minQueuedNodes) }

    /// The number of questions, one after the other, after which one waits for its turn in any case.
    private static var maxSkipped: UInt { 4 }

    /// Tells whether the stages below the target want a source to pause. See `AnySink.pauses`.
    package func pauses(_ source: any PausableSource, for reference: AnySerializerTarget) -> Bool {
        if isClosed { return false }
        if tryEnter() {
            let answer = reference.target.downstreamPauses(source)
            if !tryLeave() { finishLeaving(reference) }
            return answer
        }
        if !mustQueueQuestion(for: reference) { return false }
        let node = PauseQuestion.make(of: source)
        return completeSubmission(question: node, enqueue(node), for: reference)
    }

    /// Tells whether a source that finds the serializer busy has to ask by a node: if many nodes wait, and each fourth time in any case.
    ///
    /// A drainer that keeps up with its producers may stay for ever, with few nodes at any time.
    func mustQueueQuestion(for reference: AnySerializerTarget) -> Bool {
        // Relaxed: sources that count at the same time lose a count.
        let count = skippedQuestions.loadRelaxed() &+ 1
        let isDue = count >= Serializer.maxSkipped || hasMany(for: reference.target)
        skippedQuestions.storeRelaxed(isDue ? 0 : count)
        return isDue
    }

    private func hasMany(for target: any SerializerTarget) -> Bool {
        let count = backlogCount
        if count >= Serializer.minQueuedNodes { return true }
        return count >= Serializer.minWeighingNodes && target.elementsWeigh
    }

    /// Completes the submission of a question.
    ///
    /// - Returns: whether the source has to pause, maybe only until its turn.
    func completeSubmission(
        question node: UnsafeMutablePointer<DrainNode>, _ admission: DrainLoop.Admission,
        for reference: AnySerializerTarget
    ) -> Bool {
        switch admission {
        case .entered:
            let answer = reference.target.downstreamPauses(PauseQuestion.take(node))
            if !tryLeave() { finishLeaving(reference) }
            return answer
        case .resumed:
            drain(reference)
            return true
        case .pending:
            return true
        case .closed:
            _ = PauseQuestion.take(node)
            return false
        }
    }

    /// Answers a question that waited in the queue; only the drainer calls this.
    func answer(_ question: UnsafeMutablePointer<DrainNode>, for target: any SerializerTarget) {
        let source = PauseQuestion.take(question)
        if !target.downstreamPauses(source) { source.resume() }
    }
}
