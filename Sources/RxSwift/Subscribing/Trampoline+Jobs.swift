extension Trampoline: JobScheduler {
    @usableFromInline
    package func unschedule(_ job: Job) {}

    @usableFromInline
    package var runQueue: RunQueue? { nil }

    @usableFromInline
    package var batchLimit: Int { 1 }
}
