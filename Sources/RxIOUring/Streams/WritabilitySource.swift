// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Emits whether an output has room. A subclass names the output, and tells whether that is full.
class WritabilitySource: LoopSource<Bool>, OutputObserver {
    private let room = WaitForRoom()
    /// The last element.
    @exclusivity(unchecked) private var isWritable: Bool?

    override init(loop: EventLoop, downstream: Sink<Bool>) {
        super.init(loop: loop, downstream: downstream)
        room.source = self
    }

    override var isInput: Bool { false }

    /// Tells whether the output is full; if so, the output resumes `source` when it has room. Called on the loop thread.
    func isFull(_ source: any PausableSource) -> Bool {
        fatalError("swift-rx: a subclass has to implement this method")
    }

    /// Emits that the output is full, also if the loop has written it since: a sender that has stopped waits for the room behind that.
    final func outputFilled() {
        guard isRunning else { return }
        change(to: false)
        outputChanged()
    }

    func outputChanged() {
        if isRunning { change(to: !isFull(room)) }
    }

    private func change(to isWritable: Bool) {
        if isWritable == self.isWritable { return }
        self.isWritable = isWritable
        emit(isWritable)
    }

    /// The wait of this source for room: the output resumes it.
    private final class WaitForRoom: PausableSource, @unchecked Sendable {
        /// Set before the output knows this object.
        @exclusivity(unchecked) weak var source: WritabilitySource?

        func resume() {
            guard let source else { return }
            source.loop.queue.submitExpress { source.outputChanged() }
        }
    }
}
