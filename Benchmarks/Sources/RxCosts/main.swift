// SPDX-License-Identifier: Apache-2.0

import CCostMarks
import CMallocCount
import Glibc

// Counts what pipelines cost per event and per subscription while no other thread disturbs them. Run by Tools/costs:
//
//   RxCosts counts UNITS [FILTER]   a line per row: its name, read-modify-writes and allocations per unit
//   RxCosts marks UNITS [FILTER]    the same work with a mark around each repetition, for callgrind; a line per row: its name
//   RxCosts stack [FILTER]          a line per operator: its name, and the bytes of stack it takes in a chain; fails above the limit
//
// The cost of N units is the difference between a repetition of 2 N units and one of N: the parts that occur once cancel out.

let arguments = CommandLine.arguments
if arguments.count >= 2, arguments[1] == "stack" { reportStack(filter: arguments.count > 2 ? arguments[2] : "") }
guard arguments.count >= 3, let units = Int(arguments[2]), units > 0, ["counts", "marks"].contains(arguments[1]) else {
    fatalError("usage: RxCosts counts|marks UNITS [FILTER], RxCosts stack [FILTER]")
}
let counts = arguments[1] == "counts"
let filter = arguments.count > 3 ? arguments[3] : ""

for row in CostRow.events + CostRow.subscriptions {
    let name = "\(row.unit.rawValue): \(row.name)"
    if !filter.isEmpty, !name.contains(filter) { continue }
    let repeatUnits = row.prepare()
    // Objects that are made once and used again exist from here on.
    repeatUnits(units)
    repeatUnits(2 * units)
    if counts {
        let (readModifyWrites, mallocs) = perUnit(repeatUnits)
        let known = rx_cost_counts_atomics() ? hundredths(readModifyWrites) : "?"
        print("\(name)\t\(known)\t\(hundredths(mallocs))")
    } else {
        rx_cost_mark()
        repeatUnits(units)
        rx_cost_mark()
        repeatUnits(2 * units)
        rx_cost_mark()
        print(name)
    }
}

func perUnit(_ repeatUnits: (Int) -> Void) -> (readModifyWrites: Double, mallocs: Double) {
    func count(_ units: Int) -> (readModifyWrites: Int, mallocs: Int) {
        let before = rx_cost_read_modify_writes()
        malloc_count_start()
        repeatUnits(units)
        let mallocs = malloc_count_stop()
        return (Int(rx_cost_read_modify_writes() - before), Int(mallocs))
    }
    let once = count(units)
    let twice = count(2 * units)
    return (
        Double(twice.readModifyWrites - once.readModifyWrites) / Double(units),
        Double(twice.mallocs - once.mallocs) / Double(units)
    )
}

func hundredths(_ value: Double) -> String {
    let rounded = Int((value * 100).rounded())
    let sign = rounded < 0 ? "-" : ""
    let digits = abs(rounded) % 100
    return "\(sign)\(abs(rounded) / 100).\(digits < 10 ? "0" : "")\(digits)"
}

func reportStack(filter: String) -> Never {
    var isWithinLimit = true
    for row in StackRow.all where filter.isEmpty || row.name.contains(filter) {
        let use = StackUse(of: row)
        let remark = use.isWithinLimit ? "" : "above the limit"
        print("\(row.name)\t\(use.running)\t\(use.subscribing)\t\(use.cancelled)\t\(remark)")
        isWithinLimit = isWithinLimit && use.isWithinLimit
    }
    exit(isWithinLimit ? 0 : 1)
}
