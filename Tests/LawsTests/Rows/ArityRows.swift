// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// `zip` and `combineLatest`, in the forms for a collection and for 2 to 8 sources, with a selector and without.
    static let arityRows: [Row] =
        collectionRows
        + rows("zip", keeps: .tested, zips, zipsOfTuples)
        + rows("combineLatest", keeps: .repeating, combinations, combinationsOfTuples)

    private static let collectionRows: [Row] = [
        Row("zip(_:)", sources: 3, keeps: .tested) { s, tested, _ in Observable.zip(s).map { $0[tested] } },
        Row("zip(_:resultSelector:)", sources: 3, keeps: .tested) { s, tested, probe in
            Observable.zip(s, resultSelector: select(tested, probe))
        },
        Row("combineLatest(_:)", sources: 3, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s).map { $0[tested] }
        },
        Row("combineLatest(_:resultSelector:)", sources: 3, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s, resultSelector: select(tested, probe))
        },
    ]

    /// The element of the source under test.
    private static func select(_ tested: Int, _ probe: Probe) -> @Sendable ([Int]) throws -> Int {
        { elements in
            try probe.visit("resultSelector")
            return elements[tested]
        }
    }

    // The forms of an operator, from 2 sources on.
    private typealias Forms =
        [@Sendable ([Observable<Int>], @escaping @Sendable ([Int]) throws -> Int) -> Observable<Int>]
    private typealias TupleForms = [@Sendable ([Observable<Int>]) -> Observable<[Int]>]

    private static func rows(_ name: String, keeps: Keeps, _ forms: Forms, _ tupleForms: TupleForms) -> [Row] {
        func row(
            _ count: Int, _ label: String, build: @escaping @Sendable ([Observable<Int>], Int, Probe) -> Observable<Int>
        ) -> Row {
            let labels = String(repeating: "_:", count: count)
            return Row("\(name)(\(labels)\(label))", sources: count, keeps: keeps, build: build)
        }
        return forms.enumerated().map { index, form in
            row(index + 2, "resultSelector:") { s, tested, probe in form(s, select(tested, probe)) }
        }
            + tupleForms.enumerated().map { index, form in
                row(index + 2, "") { s, tested, _ in form(s).map { $0[tested] } }
            }
    }

    private static let zips: Forms = [
        { s, select in .zip(s[0], s[1]) { try select([$0, $1]) } },
        { s, select in .zip(s[0], s[1], s[2]) { try select([$0, $1, $2]) } },
        { s, select in .zip(s[0], s[1], s[2], s[3]) { try select([$0, $1, $2, $3]) } },
        { s, select in .zip(s[0], s[1], s[2], s[3], s[4]) { try select([$0, $1, $2, $3, $4]) } },
        { s, select in .zip(s[0], s[1], s[2], s[3], s[4], s[5]) { try select([$0, $1, $2, $3, $4, $5]) } },
        { s, select in .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { try select([$0, $1, $2, $3, $4, $5, $6]) } },
        { s, select in
            .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) { try select([$0, $1, $2, $3, $4, $5, $6, $7]) }
        },
    ]

    private static let zipsOfTuples: TupleForms = [
        { s in Observable.zip(s[0], s[1]).map { [$0.0, $0.1] } },
        { s in Observable.zip(s[0], s[1], s[2]).map { [$0.0, $0.1, $0.2] } },
        { s in Observable.zip(s[0], s[1], s[2], s[3]).map { [$0.0, $0.1, $0.2, $0.3] } },
        { s in Observable.zip(s[0], s[1], s[2], s[3], s[4]).map { [$0.0, $0.1, $0.2, $0.3, $0.4] } },
        { s in Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5] } },
        { s in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6] }
        },
        { s in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map {
                [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7]
            }
        },
    ]

    private static let combinations: Forms = [
        { s, select in .combineLatest(s[0], s[1]) { try select([$0, $1]) } },
        { s, select in .combineLatest(s[0], s[1], s[2]) { try select([$0, $1, $2]) } },
        { s, select in .combineLatest(s[0], s[1], s[2], s[3]) { try select([$0, $1, $2, $3]) } },
        { s, select in .combineLatest(s[0], s[1], s[2], s[3], s[4]) { try select([$0, $1, $2, $3, $4]) } },
        { s, select in .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { try select([$0, $1, $2, $3, $4, $5]) } },
        { s, select in
            .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { try select([$0, $1, $2, $3, $4, $5, $6]) }
        },
        { s, select in
            .combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
                try select([$0, $1, $2, $3, $4, $5, $6, $7])
            }
        },
    ]

    private static let combinationsOfTuples: TupleForms = [
        { s in Observable.combineLatest(s[0], s[1]).map { [$0.0, $0.1] } },
        { s in Observable.combineLatest(s[0], s[1], s[2]).map { [$0.0, $0.1, $0.2] } },
        { s in Observable.combineLatest(s[0], s[1], s[2], s[3]).map { [$0.0, $0.1, $0.2, $0.3] } },
        { s in Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { [$0.0, $0.1, $0.2, $0.3, $0.4] } },
        { s in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5] }
        },
        { s in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map {
                [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6]
            }
        },
        { s in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map {
                [$0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7]
            }
        },
    ]
}
