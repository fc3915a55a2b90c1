extension Scenario {
    static var all: [Scenario] {
        drainLoop + turns + queues + disposables + stages + subjects + sharing + operators + pools
    }
}
