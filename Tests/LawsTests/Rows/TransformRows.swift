// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let transformRows: [Row] = [
        Row("map(_:)", keeps: .everything) { source, probe in
            source.map {
                try probe.visit("transform")
                return $0
            }
        },
        Row("compactMap(_:)", keeps: .everything) { source, probe in
            source.compactMap {
                try probe.visit("transform")
                return $0
            }
        },
        Row("enumerated()", keeps: .everything) { source, _ in source.enumerated().map { $0.element } },
        Row("materialize()", keeps: .everything) { source, _ in source.materialize().dematerialize() },
        Row("dematerialize()", keeps: .everything) { source, _ in
            source.map { Event.next($0) }.dematerialize()
        },
        Row("scan(_:accumulator:)", keeps: .everything) { source, probe in
            source.scan(0) {
                try probe.visit("accumulator")
                return $1
            }
        },
        Row("scan(into:accumulator:)", keeps: .everything) { source, probe in
            source.scan(into: 0) {
                try probe.visit("accumulator")
                $0 = $1
            }
        },
        Row("flatMap(_:)", "just", keeps: .everything) { source, probe in
            source.flatMap {
                try probe.visit("selector")
                return Observable.just($0)
            }
        },
        Row("flatMap(_:)", "of", keeps: .everything) { source, probe in
            source.flatMap {
                try probe.visit("selector")
                return Observable.of($0)
            }
        },
        Row("flatMap(_:)", "hot", sources: 2, keeps: .repeating) { sources, _, probe in
            sources[0].flatMap {
                try probe.visit("selector")
                return $0 % 100 == 1 ? sources[1] : .empty()
            }
        },
        Row("concatMap(_:)", keeps: .everything) { source, probe in
            source.concatMap {
                try probe.visit("selector")
                return Observable.of($0)
            }
        },
        Row("concatMap(_:)", "hot", sources: 2) { sources, _, probe in
            sources[0].concatMap {
                try probe.visit("selector")
                return $0 % 100 == 1 ? sources[1] : .empty()
            }
        },
        Row("flatMapFirst(_:)") { source, probe in
            source.flatMapFirst {
                try probe.visit("selector")
                return Observable.just($0)
            }
        },
        Row("flatMapFirst(_:)", "hot", sources: 2) { sources, _, probe in
            sources[0].flatMapFirst {
                try probe.visit("selector")
                return $0 % 100 == 1 ? sources[1] : .empty()
            }
        },
        Row("flatMapLatest(_:)") { source, probe in
            source.flatMapLatest {
                try probe.visit("selector")
                return Observable.just($0)
            }
        },
        Row("flatMapLatest(_:)", "hot", sources: 3) { sources, _, probe in
            sources[0].flatMapLatest {
                try probe.visit("selector")
                return sources[1 + $0 % 2]
            }
        },
        Row("groupBy(keySelector:)", keeps: .everything, errorWeight: 2) { source, probe in
            source.groupBy {
                try probe.visit("keySelector")
                return $0 % 3
            }.flatMap { $0 }
        },
        Row("groupBy(_:until:)", keeps: .everything, chains: false) { source, probe in
            source.groupBy {
                try probe.visit("key")
                return $0 % 3
            } until: {
                try probe.visit("duration")
                return $0.skip(2)
            }.flatMap { $0 }
        },
        Row("groupBy(_:until:)", "duration", sources: 2, keeps: .repeating) { sources, _, _ in
            sources[0].groupBy {
                $0 % 3
            } until: { _ in
                sources[1]
            }.flatMap { $0 }
        },
        Row("groupBy(_:idleTimeout:scheduler:)", keeps: .everything, chains: false) { source, probe in
            source.groupBy(
                {
                    try probe.visit("key")
                    return $0 % 3
                }, idleTimeout: .seconds(3_600), scheduler: Laws.scheduler
            ).flatMap { $0 }
        },
        Row("groupBy(keySelector:)", "late", keeps: .some, chains: false) { source, probe in
            source.groupBy {
                try probe.visit("keySelector")
                return $0 % 3
            }.flatMap { $0.skip(1) }
        },
        Row("subscribe(_:)", "group", keeps: .everything, errorWeight: 3) { source, _ in
            source.groupBy { $0 % 2 }.flatMap { group in Observable.create { group.subscribe($0) } }
        },
        Row("window(timeSpan:count:scheduler:)", "by count", keeps: .everything, errorWeight: 2) { source, _ in
            source.window(timeSpan: .seconds(100), count: 2, scheduler: Laws.scheduler).flatMap { $0 }
        },
        Row("window(timeSpan:count:scheduler:)", "by time", keeps: .everything, isAsynchronous: true, chains: false) {
            source, _ in
            source.window(timeSpan: .milliseconds(1), count: 3, scheduler: Laws.scheduler).flatMap { $0 }
        },
    ]
}
