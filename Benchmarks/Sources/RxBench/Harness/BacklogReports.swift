// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Synchronization

/// Counts the reports to `Hooks.backlogHandler`, from its creation until `end`.
final class BacklogReports: Sendable {
    private let reports = Atomic<Int>(0)
    private let previous: @Sendable (String, Int) -> Void

    init() {
        let handler = Hooks.backlogHandler
        nonisolated(unsafe) let unchecked = handler
        previous = { unchecked($0, $1) }
        Hooks.backlogHandler = { [self] _, _ in reports.add(1, ordering: .relaxed) }
    }

    var count: Int { reports.load(ordering: .relaxed) }

    func end() { Hooks.backlogHandler = { [previous] in previous($0, $1) } }
}
