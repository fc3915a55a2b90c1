/// A point of a test scheduler's clock, in ticks.
public typealias TestTime = Int
