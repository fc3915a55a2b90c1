// SPDX-License-Identifier: Apache-2.0

// The list of subscriptions, as far as it decides whether a source of the subject has to pause (law L13): only while all subscribers pause it.

extension SubjectListCore {
    // MARK: Changes of the list

    // Only the drainer calls these. A source that all subscribers had paused asks again when one comes, or the last one leaves.

    func append(_ subscription: SubjectSubscription) {
        list.append(subscription)
        if !waiting.isEmpty { waiting.takeAll().resume() }
    }

    func remove(listed subscription: SubjectSubscription) {
        list.remove(subscription)
        if !waiting.isEmpty, list.first == nil { waiting.takeAll().resume() }
    }

    // MARK: Pausing

    /// Tells whether all subscribers want a source to pause. See `AnySink.pauses`; without a subscriber the answer is no.
    package func pauses(_ source: any PausableSource) -> Bool {
        if isStopped { return false }
        if tryEnter() {
            let answer = allSubscribersPause(source)
            leave()
            return answer
        }
        if !serializer.mustQueueQuestion(for: AnySerializerTarget(self)) { return false }
        let node = PauseQuestion.make(of: source)
        return serializer.completeSubmission(question: node, enterOrEnqueue(node), for: AnySerializerTarget(self))
    }

    /// Asks the subscribers whether all of them want a source to pause; only the drainer calls this.
    func allSubscribersPause(_ source: any PausableSource) -> Bool {
        if list.first == nil { return false }
        var node = list.first
        while let subscription = node {
            let pauses = subscription._withUnsafeGuaranteedRef { subscription in
                node = subscription.nextInList
                return subscription.isCancelled
                    || subscription.downstream._withUnsafeGuaranteedRef { $0.pauses(source) }
            }
            if !pauses { return false }
        }
        // A subscriber that comes is not paused.
        _ = waiting.add(source)
        return true
    }

    /// Tells all subscribers that the source begins anew. Does nothing while another thread or a callback delivers: the source will do so again.
    package final func upstreamGoesOn() {
        if isStopped || !tryEnter() { return }
        var node = list.first
        while let subscription = node {
            subscription._withUnsafeGuaranteedRef {
                node = $0.nextInList
                if !$0.isCancelled { $0.downstream._withUnsafeGuaranteedRef { $0.upstreamGoesOn() } }
            }
        }
        leave()
    }
}
