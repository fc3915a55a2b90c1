/// The work of a `WorkJob`, done by an object that is no stage of a chain.
package protocol Work: AnyObject {
    /// Does the work, under the contract of `Job.run`.
    func run(_ budget: inout Int) -> Bool

    /// Tells that the job was rejected, under the contract of `Job.wasRejected`.
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
