// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct DecodeTests {
    private struct Item: Codable, Equatable {
        let id: Int
    }

    @Test("Data become values") func values() throws {
        var items: [Item] = []
        let json = try JSONEncoder().encode(Item(id: 1))
        let propertyList = try PropertyListEncoder().encode(Item(id: 2))
        _ = sequence(json).decode(type: Item.self, decoder: JSONDecoder()).subscribe(onNext: { items.append($0) })
        _ = sequence(propertyList).decode(type: Item.self, decoder: PropertyListDecoder()).subscribe(onNext: {
            items.append($0)
        })
        #expect(items == [Item(id: 1), Item(id: 2)])
    }

    @Test("Malformed data end the result with an error") func malformed() {
        var error: (any Error)?
        _ = sequence(Data()).decode(type: Item.self, decoder: JSONDecoder()).subscribe(onError: { error = $0 })
        #expect(error is DecodingError)
    }
}
