// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport

extension Laws {
    static let inspectRows: [Row] = [
        Row(
            "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
            keeps: .everything, lateSites: ["afterError", "afterCompleted"]
        ) { source, probe in
            source.do(
                onNext: { _ in try probe.visit("onNext") },
                afterNext: { _ in try probe.visit("afterNext") },
                onError: { _ in try probe.visit("onError") },
                afterError: { _ in try probe.visit("afterError") },
                onCompleted: { try probe.visit("onCompleted") },
                afterCompleted: { try probe.visit("afterCompleted") },
                onSubscribe: { probe.note("onSubscribe") },
                onSubscribed: { probe.note("onSubscribed") },
                onDispose: { probe.note("onDispose") })
        },
        Row(
            "do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)",
            "elements", keeps: .everything
        ) { source, probe in
            source.do(onNext: { _ in try probe.visit("onNext") })
        },
        Row("decode(type:decoder:)", keeps: .everything) { source, _ in
            source.map { Data("[\($0)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder()).map { $0[0] }
        },
        Row("withUnretained(_:resultSelector:)", keeps: .everything, chains: false) { source, probe in
            let object = Companion.shared
            return source.withUnretained(object) { _, element in
                probe.note("resultSelector")
                return element
            }
        },
        Row("withUnretained(_:)", keeps: .everything) { source, _ in
            source.withUnretained(Companion.shared).map { $0.1 }
        },
    ]

    final class Companion: Sendable {
        static let shared = Companion()
    }
}
