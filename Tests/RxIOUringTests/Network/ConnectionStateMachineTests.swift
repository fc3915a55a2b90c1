// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import Testing

/// Explores all sequences of events, breadth first over the states of the machine and of a caller that does what it says.
@Suite struct ConnectionStateMachineTests {
    private static let exploration = Exploration()

    @Test("Every sequence of events keeps the law", arguments: ConnectionModel.Law.allCases)
    func everySequenceOfEventsKeeps(_ law: ConnectionModel.Law) {
        let path = Self.exploration.violations[law]
        #expect(path == nil, "\(law.rawValue): \(path.map { "\($0)" } ?? "")")
    }

    @Test("Every state of life, input and output is reached")
    func everyStateIsReached() {
        let states = Self.exploration.states
        #expect(Set(states.map(\.life)).count == 7)
        #expect(Set(states.map(\.input)).count == 8)
        #expect(Set(states.map(\.output)).count == 4)
        // An error of the system, one of the loop, and none.
        #expect(Set(states.map(\.failure)) == [0, ECONNRESET, EPIPE, ECANCELED])
    }

    @Test("A failure of sending ends the connection only when its subscriber has read the rest")
    func aFailureOfSendingLeavesTheInput() {
        var machine = ConnectionStateMachine()
        machine.opened()
        _ = machine.subscriberArrived(isWanted: true)
        let failed = machine.sendFailed(.broken)
        let received = machine.received(isWanted: true)
        let ended = machine.inputEnded(nil)
        #expect(failed == .dropOutput)
        #expect(received == .deliver)
        #expect(ended == .close)
        #expect(machine.failure == .broken)
    }

    @Test("A close on the loop thread stops receiving before the close is processed")
    func anAnnouncedCloseStopsReceiving() {
        var machine = ConnectionStateMachine()
        machine.closeAnnounced()
        machine.opened()
        _ = machine.subscriberArrived(isWanted: true)
        let received = machine.received(isWanted: true)
        #expect(!machine.wantsChunk)
        #expect(received == .drop)
    }
}

/// All states that the model reaches, and the shortest sequence that breaks each law.
private struct Exploration {
    private(set) var states: Set<ConnectionModel.State> = []
    private(set) var violations: [ConnectionModel.Law: [ConnectionModel.Step]] = [:]

    init() {
        var nodes = [(model: ConnectionModel(), parent: 0, step: ConnectionModel.Step.opened)]
        states.insert(nodes[0].model.state)
        var next = 0
        while next < nodes.count {
            for step in ConnectionModel.Step.allCases {
                var model = nodes[next].model
                guard model.take(step) else { continue }
                for law in model.broken where violations[law] == nil {
                    violations[law] = path(to: next, in: nodes) + [step]
                }
                // A state behind a violation tells nothing new.
                if model.broken.isEmpty, states.insert(model.state).inserted { nodes.append((model, next, step)) }
            }
            next += 1
        }
    }

    private func path(
        to node: Int, in nodes: [(model: ConnectionModel, parent: Int, step: ConnectionModel.Step)]
    ) -> [ConnectionModel.Step] {
        node == 0 ? [] : path(to: nodes[node].parent, in: nodes) + [nodes[node].step]
    }
}
