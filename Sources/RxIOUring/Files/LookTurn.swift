// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The right to have a thread look paths up though nothing has happened, which one stream of a loop has at a time. Used on the loop thread only.
///
/// The thread may wait for a server that is gone. If each stream of such a mount had one, they would occupy all that open files.
final class LookTurn {
    @exclusivity(unchecked) private var owner: ObjectIdentifier?

    /// That of a loop.
    static func of(_ loop: EventLoop) -> LookTurn {
        if let turn = loop.locals[LookTurn.self] { return turn }
        let turn = LookTurn()
        loop.locals[LookTurn.self] = turn
        return turn
    }

    /// Returns false if another stream has it.
    func take(for stream: AnyObject) -> Bool {
        if owner == nil { owner = ObjectIdentifier(stream) }
        return owner == ObjectIdentifier(stream)
    }

    func giveBack(by stream: AnyObject) {
        if owner == ObjectIdentifier(stream) { owner = nil }
    }
}

extension File.Path {
    /// True if the kernel finds the path, or that nothing has it, in its memory. Does not wait.
    var isInMemory: Bool {
        if case .failure(let error) = FileStatus.look(self, cached: true) { error.code != EAGAIN } else { true }
    }
}
