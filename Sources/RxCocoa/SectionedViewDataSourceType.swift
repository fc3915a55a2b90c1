public import FoundationEssentials

/// A data source of a view that shows items in sections.
public protocol SectionedViewDataSourceType {
    /// The item at a place.
    ///
    /// - Parameter indexPath: section and row.
    /// - Throws: `RxCocoaError.itemsNotYetBound` when there are none.
    func model(at indexPath: IndexPath) throws -> Any
}
