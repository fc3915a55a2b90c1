// SPDX-License-Identifier: Apache-2.0

extension Scenario {
    static var all: [Scenario] {
        queues + disposables + stages + operators + sharing + pools + drainLoop + serializers + subjects + turns
            + upstreamShares + loopTurns + hostQueues
            + pausingQueues + pressure + resubscribing + help
    }
}
