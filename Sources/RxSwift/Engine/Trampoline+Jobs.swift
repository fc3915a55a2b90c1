extension Trampoline: JobScheduler {
    package func withdraw(_ job: Job) {}

    package var turnQueue: TurnQueue? { nil }

    package var stepsPerTurn: Int { 1 }
}
