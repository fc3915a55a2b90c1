/// A pipeline whose uncontended costs are counted.
struct CostRow {
    let name: String
    /// What the costs are those of.
    let unit: Unit
    /// Makes what a repetition does to so many units; what it makes beforehand is not counted.
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

/// What observers add to.
final class Sum {
    var value = 0
}
