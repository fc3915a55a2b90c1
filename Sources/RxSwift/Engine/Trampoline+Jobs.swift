extension Trampoline: JobScheduler {
    @usableFromInline
    package func withdraw(_ job: Job) {}

    @usableFromInline
    package var turnQueue: TurnQueue? { nil }

    @usableFromInline
    package var stepsPerTurn: Int { 1 }
}
