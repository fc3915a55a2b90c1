// SPDX-License-Identifier: Apache-2.0

/// A turn of an event loop that took longer than the loop's limit, most often because a callback blocked.
///
/// It is reported once while it lasts, and again when it is over: see `IOHooks.stallHandler`.
public struct LoopStall: Sendable, CustomStringConvertible {
    /// The name of the loop's scheduler.
    public let loop: String
    /// The nanoseconds of the turn: so far, or in all if `isOver`. Exact to some percent.
    public let nanoseconds: Int
    /// True if the turn has ended.
    public let isOver: Bool
    /// The stack of the loop thread while the turn lasted, innermost function first.
    ///
    /// A function has its name where its image exports it, and always the image and an offset, which `addr2line -e IMAGE OFFSET` and
    /// `llvm-symbolizer -e IMAGE OFFSET` turn into a line. Empty if there is no stack: see `stackNote`.
    public let stack: [String]
    /// The reason for which there is no stack; nil if there is one.
    public let stackNote: String?
    /// The innermost function that belongs neither to the library nor to the system, if its name is known.
    public let function: String?

    /// A sentence, and the stack if the turn lasts.
    public var description: String {
        let time = "\(nanoseconds / 1_000_000) ms"
        let place = function.map { ", in \($0)" } ?? ""
        if isOver { return "\(loop) was blocked for \(time)\(place)" }
        let frames = stack.map { "\n    \($0)" }.joined()
        let note = stackNote.map { " (no stack: \($0))" } ?? ""
        return "\(loop) is blocked, for \(time) so far\(place)\(note)\(frames)"
    }
}
