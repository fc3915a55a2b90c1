// SPDX-License-Identifier: Apache-2.0

extension Row {
    /// Returns every row, in the order of the table.
    static func all(text: TextSource, extent: Extent) -> [Row] {
        var rows = subjects + lifecycles + operators + combining + replaying + hops + tasks + timers + elements + traits
        rows += endToEnd(text)
        rows += loop + loopTimers(extent) + pool + echo + files(extent) + fileWrites(extent)
        return rows
    }
}

extension LatencyRow {
    /// Returns every row of latencies, in the order of the table.
    static func all(extent: Extent) -> [LatencyRow] {
        handOff(extent) + timerLateness(extent) + echo(extent)
    }
}

extension Figure {
    /// Returns every figure, in the order in which they are printed.
    static func all(extent: Extent) -> [Figure] {
        timerMemory(extent) + farTimers(extent) + contention(extent) + slowTask(extent) + echo(extent)
    }
}
