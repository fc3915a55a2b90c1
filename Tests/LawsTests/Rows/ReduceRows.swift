// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let reduceRows: [Row] = [
        Row("asSingle()", chains: false) { source, _ in source.asSingle().asObservable() },
        Row("asSingle()", "of one") { source, _ in source.take(1).asSingle().asObservable() },
        Row("first()") { source, _ in source.first().asObservable().map { $0 ?? 0 } },
        Row("reduce(_:accumulator:)", keeps: .nothing) { source, probe in
            source.reduce(0) {
                try probe.visit("accumulator")
                return $0 + $1
            }
        },
        Row("reduce(_:accumulator:mapResult:)", keeps: .everything) { source, probe in
            source.reduce([Int]()) {
                try probe.visit("accumulator")
                return $0 + [$1]
            } mapResult: {
                try probe.visit("mapResult")
                return $0
            }.flatMap { Observable.from($0) }
        },
        Row("toArray()", keeps: .everything) { source, _ in
            source.toArray().asObservable().flatMap { Observable.from($0) }
        },
    ]
}
