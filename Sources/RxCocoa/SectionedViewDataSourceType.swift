// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A data source of a view that shows items in sections.
public protocol SectionedViewDataSourceType {
    /// Returns the item at a section and row.
    ///
    /// - Parameter indexPath: section and row.
    /// - Throws: `RxCocoaError.itemsNotYetBound` when there are none.
    func model(at indexPath: IndexPath) throws -> Any
}
