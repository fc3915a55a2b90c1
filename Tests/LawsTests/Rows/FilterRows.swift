// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let filterRows: [Row] = [
        Row("filter(_:)", keeps: .everything) { source, probe in
            source.filter { _ in
                try probe.visit("predicate")
                return true
            }
        },
        Row("filter(_:)", "half") { source, probe in
            source.filter {
                try probe.visit("predicate")
                return $0.isMultiple(of: 2)
            }
        },
        Row("distinctUntilChanged()", keeps: .everything) { source, _ in source.distinctUntilChanged() },
        Row("distinctUntilChanged(_:)", "key", keeps: .everything) { source, probe in
            source.distinctUntilChanged { (element: Int) -> Int in
                try probe.visit("keySelector")
                return element
            }
        },
        Row("distinctUntilChanged(_:)", "comparer", keeps: .everything) { source, probe in
            source.distinctUntilChanged { (old: Int, new: Int) -> Bool in
                try probe.visit("comparer")
                return old == new
            }
        },
        Row("distinctUntilChanged(_:comparer:)", keeps: .everything) { source, probe in
            source.distinctUntilChanged(
                { (element: Int) -> Int in
                    try probe.visit("keySelector")
                    return element
                },
                comparer: { (old: Int, new: Int) -> Bool in
                    try probe.visit("comparer")
                    return old == new
                })
        },
        Row("distinctUntilChanged(at:)", keeps: .everything) { source, _ in source.distinctUntilChanged(at: \.self) },
        Row("element(at:)", "first") { source, _ in source.element(at: 0) },
        Row("element(at:)", "third", chains: false) { source, _ in source.element(at: 2) },
        Row("ignoreElements()", keeps: .nothing) { source, _ in source.ignoreElements().map { _ in 0 } },
        // Never completes when the sampler completes first, as in RxSwift.
        Row("sample(_:defaultValue:)", sources: 2, completes: false) { sources, _, _ in sources[0].sample(sources[1]) },
        Row("sample(_:defaultValue:)", "default", sources: 2, keeps: .nothing, completes: false) { sources, _, _ in
            sources[0].sample(sources[1], defaultValue: 0)
        },
        Row("single()", chains: false) { source, _ in source.single() },
        Row("single(_:)", chains: false) { source, probe in
            source.single { _ in
                try probe.visit("predicate")
                return false
            }
        },
        Row("skip(_:)", "none", keeps: .everything) { source, _ in source.skip(0) },
        Row("skip(_:)", "some", chains: false) { source, _ in source.skip(2) },
        Row("skip(until:)", sources: 2, completes: false) { sources, _, _ in sources[0].skip(until: sources[1]) },
        Row("skip(while:)", keeps: .everything) { source, probe in
            source.skip { _ in
                try probe.visit("predicate")
                return false
            }
        },
        Row("take(_:)", "one") { source, _ in source.take(1) },
        Row("take(_:)", "three") { source, _ in source.take(3) },
        Row("take(_:)", "all", keeps: .everything) { source, _ in source.take(.max) },
        Row("takeLast(_:)", "one") { source, _ in source.takeLast(1) },
        Row("takeLast(_:)", "all", keeps: .everything) { source, _ in source.takeLast(1_000_000) },
        Row("take(until:)", sources: 2) { sources, _, _ in sources[0].take(until: sources[1]) },
        Row("take(until:)", "itself", chains: false) { source, _ in source.take(until: source.skip(3)) },
        Row("take(while:behavior:)", keeps: .everything) { source, probe in
            source.take(while: { _ in
                try probe.visit("predicate")
                return true
            })
        },
        Row("take(while:behavior:)", "inclusive") { source, probe in
            source.take(
                while: {
                    try probe.visit("predicate")
                    return $0 % 100 != 3
                }, behavior: .inclusive)
        },
        Row("take(until:behavior:)") { source, probe in
            source.take(until: {
                try probe.visit("predicate")
                return $0 % 100 == 3
            })
        },
        Row("take(until:behavior:)", "inclusive") { source, probe in
            source.take(
                until: {
                    try probe.visit("predicate")
                    return $0 % 100 == 3
                }, behavior: .inclusive)
        },
    ]
}
