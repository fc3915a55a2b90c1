import RxSwift

extension Laws {
    static let timeRows: [Row] = []
}
