import TestSupport
import Testing

/// The words by which threads take what an event loop gives back, in all interleavings, without threads.
///
/// A model: each step is one access to a shared word. Under test is the protocol, as `SpareActions` has it.
@Suite struct SpareActionsModelTests {
    @Test(arguments: [1, 2, 3])
    func eachSpareIsInOnePlace(takers: Int) {
        var explored = Exploration(Model(takers: takers)) {
            $0.successors
        } isWrong: { model in
            let places = model.places
            return Set(places).count != places.count || (model.isAtRest && places.count != Model.spares)
        }
        explored.run()
        #expect(explored.wrong == nil)
        #expect(explored.count > 100)
    }

    /// The model notices: a taker that does not care that another one is at it would lose what that one puts back.
    @Test func aTakerThatPutsSomethingBackBesideAnotherLosesSpares() {
        var explored = Exploration(Model(takers: 2, minds: false)) {
            $0.successors
        } isWrong: { model in
            let places = model.places
            return Set(places).count != places.count || (model.isAtRest && places.count != Model.spares)
        }
        explored.run()
        #expect(explored.wrong != nil)
    }
}

private struct Model: Hashable {
    static let spares = 3

    enum Stock: Hashable {
        case inUse
        case list([Int])
    }

    enum Taker: Hashable {
        case begins
        /// Has seen that nobody was at it.
        case sawIdle
        /// Has exchanged the word, and found this.
        case holds([Int])
        /// Found nothing, and saw something in `returned`.
        case sawReturned
        /// Found nothing: makes a new one when it has put the word back.
        case foundNothing
        /// Has taken one, which the loop gets when it has run.
        case has(Int)
        case done
    }

    enum Loop: Hashable {
        case idle
        /// Is about to push its batch in front of what it has read.
        case pushes([Int])
        /// Has taken `returned`, to let go of it.
        case tookReturned([Int])
        /// Has taken the stock, and has to put the word back.
        case tookStock([Int])
    }

    var stock = Stock.list([])
    var returned: [Int] = []
    /// What the loop has in its hands.
    var batch = Array(0..<spares)
    var loop = Loop.idle
    var takers: [Taker]
    /// How often the loop may still let go of what is out of use: it gets it back here, to be given back again.
    var trims = 1
    /// Whether takers leave a stock alone that is in use.
    let minds: Bool

    init(takers: Int, minds: Bool = true) {
        self.takers = Array(repeating: .begins, count: takers)
        self.minds = minds
    }

    var isAtRest: Bool { loop == .idle && takers.allSatisfy { $0 == .done } }

    /// Where each spare is that somebody can still reach.
    var places: [Int] {
        var all = returned + batch
        if case .list(let list) = stock { all += list }
        switch loop {
        case .tookReturned(let list), .tookStock(let list): all += list
        default: break
        }
        for taker in takers {
            switch taker {
            case .holds(let list): all += list
            case .has(let spare): all.append(spare)
            default: break
            }
        }
        return all
    }

    var successors: [Model] {
        takers.indices.flatMap(stepsOfTaker) + stepsOfLoop
    }

    private func changed(_ change: (inout Model) -> Void) -> Model {
        var next = self
        change(&next)
        return next
    }

    private func stepsOfTaker(_ number: Int) -> [Model] {
        let next: Model
        switch takers[number] {
        case .begins:
            next = changed { $0.takers[number] = stock == .inUse && minds ? .done : .sawIdle }
        case .sawIdle:
            next = changed {
                if case .list(let list) = stock {
                    $0.takers[number] = .holds(list)
                } else {
                    $0.takers[number] = minds ? .done : .holds([])
                }
                $0.stock = .inUse
            }
        case .holds(let list):
            if let first = list.first {
                next = changed {
                    $0.stock = .list(Array(list.dropFirst()))
                    $0.takers[number] = .has(first)
                }
            } else {
                next = changed { $0.takers[number] = returned.isEmpty ? .foundNothing : .sawReturned }
            }
        case .sawReturned:
            next = changed {
                $0.takers[number] = returned.isEmpty ? .foundNothing : .holds(returned)
                $0.returned = []
            }
        case .foundNothing:
            next = changed {
                $0.stock = .list([])
                $0.takers[number] = .done
            }
        case .has(let spare):
            // Runs on the loop, between two of its own steps.
            guard loop == .idle else { return [] }
            next = changed {
                $0.batch.append(spare)
                $0.takers[number] = .done
            }
        case .done: return []
        }
        return [next]
    }

    private var stepsOfLoop: [Model] {
        switch loop {
        case .idle:
            var steps: [Model] = []
            if !batch.isEmpty {
                steps.append(changed { $0.loop = .pushes(returned) })
                // Uses one itself.
                steps.append(changed { $0.batch = Array(batch.reversed()) })
            }
            if trims > 0 {
                steps.append(
                    changed {
                        $0.trims -= 1
                        $0.loop = .tookReturned(returned)
                        $0.returned = []
                    })
                steps.append(
                    changed {
                        $0.trims -= 1
                        if case .list(let list) = stock { $0.loop = .tookStock(list) }
                        $0.stock = .inUse
                    })
            }
            return steps
        case .pushes(let known):
            // The compare-exchange: the takers only ever take all.
            return [
                changed {
                    if returned == known {
                        $0.returned = batch + known
                        $0.batch = []
                    }
                    $0.loop = .idle
                }
            ]
        case .tookReturned(let list):
            return [
                changed {
                    $0.batch += list
                    $0.loop = .idle
                }
            ]
        case .tookStock(let list):
            return [
                changed {
                    $0.batch += list
                    $0.stock = .list([])
                    $0.loop = .idle
                }
            ]
        }
    }
}
