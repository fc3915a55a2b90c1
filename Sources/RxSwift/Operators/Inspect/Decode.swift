// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decodes values from data.
public protocol DataDecoder {
    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - data: the data to decode the value from.
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Decodes a value from each element.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - decoder: decodes on the thread that emits; an error it throws ends the sequence.
    public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder) -> Observable<Item> {
        // A metatype of a type that need not be Sendable is not Sendable itself, though nothing in it can change.
        nonisolated(unsafe) let type = type
        return map { try decoder.decode(type, from: $0) }
    }
}

extension Data: Weighted {
    public var weightInBytes: Int { count }
}
