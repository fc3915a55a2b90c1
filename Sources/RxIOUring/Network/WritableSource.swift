// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// Emits whether the output of a connection has room.
final class WritableSource: LoopSource<Bool>, ConnectionWatcher, OutputObserver {
    private let core: ConnectionCore
    private let room = OutputRoom()
    /// The last element.
    @exclusivity(unchecked) private var isWritable: Bool?

    init(_ core: ConnectionCore, downstream: Sink<Bool>) {
        self.core = core
        super.init(loop: core.loop, downstream: downstream)
    }

    override var subject: String { core.subject }

    override var isInput: Bool { false }

    override func begin() {
        room.source = self
        core.add(self)
        guard isRunning else { return }
        core.addOutputObserver(self)
        outputChanged()
    }

    override func end() {
        core.remove(self)
        core.removeOutputObserver(self)
    }

    func outputChanged() {
        guard isRunning else { return }
        let isWritable = !core.isFull(room)
        if isWritable == self.isWritable { return }
        self.isWritable = isWritable
        emit(isWritable)
    }

    func connectionClosed(_ error: IOError?) { complete() }
}

/// The wait of a source for room: the output resumes it.
private final class OutputRoom: PausableSource, @unchecked Sendable {
    /// Set before the output knows this object.
    @exclusivity(unchecked) weak var source: WritableSource?

    func resume() {
        guard let source else { return }
        source.loop.queue.submitExpress { source.outputChanged() }
    }
}

/// An object that is told, on the loop thread, when the output of a connection has become full.
protocol OutputObserver: AnyObject {
    /// The output may have become full. Called at least once after each time that it does.
    func outputChanged()
}
