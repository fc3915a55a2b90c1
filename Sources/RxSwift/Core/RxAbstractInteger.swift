/// The integers that `range`, `interval` and `timer` count in. RxSwift's older name for `FixedWidthInteger`.
public typealias RxAbstractInteger = FixedWidthInteger
