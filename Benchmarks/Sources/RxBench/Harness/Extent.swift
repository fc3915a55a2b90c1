/// How much a run does, for rows whose size cannot follow from how long a call takes.
enum Extent {
    case full, quick

    /// One of two sizes.
    func of<Value>(_ full: Value, quick: Value) -> Value {
        self == .full ? full : quick
    }
}
