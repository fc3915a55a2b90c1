// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Emits whether the output of a connection has room.
final class WritableSource: WritabilitySource, ConnectionWatcher {
    private let core: ConnectionCore

    init(_ core: ConnectionCore, downstream: Sink<Bool>) {
        self.core = core
        super.init(loop: core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override func begin() {
        core.add(self)
        guard isRunning else { return }
        core.addOutputObserver(self)
        outputChanged()
    }

    override func end() {
        core.remove(self)
        core.removeOutputObserver(self)
    }

    override func isFull(_ source: any PausableSource) -> Bool { core.isFull(source) }

    func connectionClosed(_ error: IOError?) { complete() }
}
