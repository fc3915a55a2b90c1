// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import RxPrimitives
public import RxSwift

/// Checks that a loop keeps the promises of `HostEventLoop`, for the tests of the program that has the loop.
///
/// ```swift
/// #expect(HostEventLoopConformance.violations(of: { FrameLoop() }, end: { $0.stop() }) == [])
/// ```
public enum HostEventLoopConformance {
    /// Returns a sentence for each promise that was seen broken, which says what was expected and what came; none if the loop conforms.
    ///
    /// Takes about a second with a loop that conforms. It ends for any loop: one that loses a body or blocks its callers takes `limit` for each check in
    /// which it does, and leaves a thread behind if that does not return. The caller waits, and must not be the loop.
    ///
    /// - Parameters:
    ///   - makeLoop: returns a loop that runs, or starts to. Called once for each of the eight checks.
    ///   - end: ends a loop, and may wait for its end. Called for each loop, on a thread of its own. Without it, the checks of the end are left out.
    ///   - usesOneThread: false if the bodies may run on several threads, one at a time.
    ///   - limit: how long a check waits for what must come.
    ///   - tolerance: how late a body with a delay may come.
    public static func violations<Loop: HostEventLoop>(
        of makeLoop: () -> Loop, end: (@Sendable (Loop) -> Void)? = nil, usesOneThread: Bool = true,
        limit: RxTimeInterval = .seconds(10), tolerance: RxTimeInterval = .seconds(1)
    ) -> [String] {
        let limits = ConformanceLimits(
            // A multiple of it has to be a time, too.
            waiting: min(limit.nanosecondsClamped, .max / 8), lateness: tolerance.nanosecondsClamped,
            usesOneThread: usesOneThread)
        let subjects = ConformanceCheck.Subject.allCases.filter { $0 != .end || end != nil }
        return subjects.reduce(into: []) { found, subject in
            for violation in violations(of: makeLoop, end: end, subject, limits) where !found.contains(violation) {
                found.append(violation)
            }
        }
    }

    /// Returns what one of the checks finds.
    package static func violations<Loop: HostEventLoop>(
        of makeLoop: () -> Loop, end: (@Sendable (Loop) -> Void)?, _ subject: ConformanceCheck.Subject,
        _ limits: ConformanceLimits
    ) -> [String] {
        let loop = makeLoop()
        var endLoop: (@Sendable () -> Void)?
        if let end { endLoop = { end(loop) } }
        let check = ConformanceCheck(of: loop, limits, end: endLoop)
        check.run(subject)
        check.endLoop()
        return check.violations
    }
}
