// SPDX-License-Identifier: Apache-2.0

/// Describes where two lists differ; nil if they don't.
func difference<Item>(_ lhs: [Item], _ rhs: [Item], isEqual: (Item, Item) -> Bool) -> String? {
    var lines: [String] = []
    for index in 0..<max(lhs.count, rhs.count) {
        let left = index < lhs.count ? lhs[index] : nil
        let right = index < rhs.count ? rhs[index] : nil
        if let left, let right, isEqual(left, right) { continue }
        lines.append("  [\(index)] left: \(describe(left)), right: \(describe(right))")
    }
    if lines.isEmpty { return nil }
    lines.insert("the lists differ, left with \(lhs.count) and right with \(rhs.count) items:", at: 0)
    return lines.joined(separator: "\n")
}

private func describe<Item>(_ item: Item?) -> String { item.map { "\($0)" } ?? "nothing" }
