// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// Lines to search in, in another place.
public protocol SearchService: Sendable {
    /// Emits what is found; fails if the service cannot be reached.
    func find(_ query: String) -> Single<SearchResults>
}

/// The lines found for a query.
public struct SearchResults: Equatable, Sendable {
    public var query: String
    /// The best lines, the best first.
    public var lines: [String]
    /// The number of all lines found.
    public var total: Int

    public init(query: String = "", lines: [String] = [], total: Int = 0) {
        self.query = query
        self.lines = lines
        self.total = total
    }
}
