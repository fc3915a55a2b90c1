// SPDX-License-Identifier: Apache-2.0

/// Takes the place of the class of that name in Parker.swift. A `park` with a deadline may end by itself at any moment.
package final class Parker: @unchecked Sendable {
    private let cell: UnsafeMutableRawPointer

    package init() { cell = rxModelMake(0, 3) }

    deinit { rxModelFree(cell) }

    package func park(until deadline: UInt64) { rxModelPark(cell, deadline == .max ? 0 : 1) }

    package func unpark() { rxModelUnpark(cell) }
}
