/// Goes through all states that can be reached, until one of them is wrong.
package struct Exploration<State: Hashable> {
    private var seen: Set<State> = []
    private var open: [State]
    private let successors: (State) -> [State]
    private let isWrong: (State) -> Bool
    package private(set) var wrong: State?

    package var count: Int { seen.count }

    package init(_ start: State, successors: @escaping (State) -> [State], isWrong: @escaping (State) -> Bool) {
        open = [start]
        self.successors = successors
        self.isWrong = isWrong
    }

    package mutating func run() {
        while let state = open.popLast() {
            guard seen.insert(state).inserted else { continue }
            if isWrong(state) {
                wrong = state
                return
            }
            open += successors(state)
        }
    }
}
