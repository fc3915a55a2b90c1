/// What a `WorkJob` does, by an object that is no stage of a chain.
package protocol Work: AnyObject {
    /// See `Job.run`.
    func run(_ budget: inout Int) -> Bool

    /// See `Job.wasRejected`.
    func wasRejected() -> Bool
}

/// A job on behalf of an object of another module, which it holds.
package final class WorkJob: Job {
    private let work: any Work

    package init(_ work: any Work) {
        self.work = work
        super.init()
    }

    package override func run(_ budget: inout Int) -> Bool { work.run(&budget) }

    package override func wasRejected() -> Bool { work.wasRejected() }
}
