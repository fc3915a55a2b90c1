/// Notices queues that grow because events come faster than they are delivered (law L10).
@usableFromInline
package enum Backlog {
    /// Takes the number of events pending at a serializer or `observe(on:)`, when an event was queued.
    package static func noticed(_ count: Int, at operatorName: StaticString) {
        if isNotable(count), count % Hooks.backlogThreshold == 0 { Hooks.backlogHandler("\(operatorName)", count) }
    }

    /// Tells whether `noticed` may have something to do for that many events.
    @inline(__always)
    static func isNotable(_ count: Int) -> Bool { count >= Hooks.backlogThreshold }

    /// Takes, now and then while events are being queued, the number that was pending last time and is now.
    @inline(never)
    package static func grew(from before: Int, to count: Int, at operatorName: StaticString) {
        let threshold = Hooks.backlogThreshold
        if count / threshold > before / threshold {
            Hooks.backlogHandler("\(operatorName)", count)
        }
    }
}
