/// What a subject remembered at one moment: copied elements, or a part of what is shared with it.
struct Recollection<Element> {
    private var elements = ContiguousArray<Element>()
    private var log: ReplayLog<Element>.Excerpt?
    private var window: ReplayWindow<Element>.Excerpt?

    mutating func reserve(_ count: Int) {
        elements.reserveCapacity(count)
    }

    mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        self.elements.append(contentsOf: elements)
    }

    mutating func refer(to excerpt: ReplayLog<Element>.Excerpt) {
        log = excerpt
    }

    mutating func refer(to excerpt: ReplayWindow<Element>.Excerpt) {
        window = excerpt
    }

    /// Hands out the elements, oldest first, as long as `body` returns true.
    func visit(_ body: (Element) -> Bool) {
        for element in elements where !body(element) { return }
        log?.visit(body)
        window?.visit(body)
    }

    /// Sends the elements, oldest first, until the subscription is cancelled.
    func replay(to downstream: Sink<Element>, while subscription: SubjectSubscription) {
        visit { element in
            if subscription.isCancelled { return false }
            downstream.next(element)
            return true
        }
    }
}
