// SPDX-License-Identifier: Apache-2.0

public import Terminal

/// The query line, and the line of the results that is selected.
public struct SearchState: Equatable, Sendable {
    public private(set) var query = LineEditor(limit: 200)
    /// Counted from 0; beyond the results it means the last one.
    public private(set) var selection = 0
    /// The number of times that Enter was pressed.
    public private(set) var choices = 0

    public init() {}

    public mutating func handle(_ key: Key) {
        switch key {
        case .up: selection = max(0, selection - 1)
        case .down: selection += 1
        case .pageUp: selection = max(0, selection - 10)
        case .pageDown: selection += 10
        case .enter: choices += 1
        case .escape: edit(.control("u"))
        default: edit(key)
        }
        selection = min(selection, PretendedSearch.limit - 1)
    }

    private mutating func edit(_ key: Key) {
        let former = query.text
        query.handle(key)
        if query.text != former { selection = 0 }
    }
}
