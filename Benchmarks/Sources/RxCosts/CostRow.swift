// SPDX-License-Identifier: Apache-2.0

/// A pipeline whose uncontended costs are counted.
struct CostRow {
    let name: String
    /// The unit of work that has the costs.
    let unit: Unit
    /// Prepares a repetition, and returns the closure that does so many units; the preparation is not counted.
    let prepare: () -> (_ units: Int) -> Void

    enum Unit: String {
        case event, subscription
    }

    init(_ name: String, _ unit: Unit, _ prepare: @escaping () -> (_ units: Int) -> Void) {
        self.name = name
        self.unit = unit
        self.prepare = prepare
    }
}

/// The sum to which observers add.
final class Sum {
    var value = 0
}
