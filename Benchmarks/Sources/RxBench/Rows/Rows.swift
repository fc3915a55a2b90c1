extension Row {
    /// Every row, in the order of the table.
    static func all(text: TextSource) -> [Row] {
        var rows = subjects + lifecycles + operators + combining + replaying + hops + timers + elements + traits
        rows += endToEnd(text)
        return rows
    }
}
