/// Notices queues that grow because events come faster than they are delivered (law L10).
@usableFromInline
package enum Backlog {
    /// Called with the number of events pending at a door or hop, when an event was queued.
    @usableFromInline
    package static func noticed(_ count: Int, at operatorName: StaticString) {
        let threshold = Hooks.backlogThreshold
        if count >= threshold, count % threshold == 0 {
            Hooks.backlogHandler("\(operatorName)", count)
        }
    }
}
