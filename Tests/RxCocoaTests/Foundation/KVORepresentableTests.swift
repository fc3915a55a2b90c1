// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import Testing

@Suite struct KVORepresentableTests {
    @Test("Numbers are read in full") func numbers() {
        #expect(Bool(KVOValue: NSNumber(value: true)) == true && Bool(KVOValue: NSNumber(value: 0)) == false)
        #expect(Int(KVOValue: NSNumber(value: Int.min)) == .min && Int(KVOValue: NSNumber(value: Int.max)) == .max)
        #expect(
            Int32(KVOValue: NSNumber(value: Int32.min)) == .min && Int64(KVOValue: NSNumber(value: Int64.max)) == .max)
        #expect(
            UInt(KVOValue: NSNumber(value: UInt.max)) == .max && UInt32(KVOValue: NSNumber(value: UInt32.max)) == .max)
        #expect(UInt64(KVOValue: NSNumber(value: UInt64.max)) == .max)
    }

    @Test("Geometry is read only from a value of its type") func geometry() {
        let point = CGPoint(x: 1, y: 2)
        let size = CGSize(width: 3, height: 4)
        let rect = CGRect(origin: point, size: size)
        let values = [NSValue(point: point), NSValue(size: size), NSValue(rect: rect), NSNumber(value: 1)]
        #expect(values.map { CGPoint(KVOValue: $0) } == [point, nil, nil, nil])
        #expect(values.map { CGSize(KVOValue: $0) } == [nil, size, nil, nil])
        #expect(values.map { CGRect(KVOValue: $0) } == [nil, nil, rect, nil])
    }

    @Test("The options are bits") func options() {
        #expect(KeyValueObservingOptions.initial.rawValue == 1 && KeyValueObservingOptions.new.rawValue == 2)
        #expect(([.initial, .new] as KeyValueObservingOptions).rawValue == 3)
    }
}
