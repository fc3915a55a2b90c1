// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let combineRows: [Row] = [
        Row("amb(_:)", "two", sources: 2) { sources, _, _ in sources[0].amb(sources[1]) },
        Row("amb(_:)", "sequence", sources: 3) { sources, _, _ in .amb(sources) },
        Row("concat(_:)", "second", sources: 2) { sources, _, _ in sources[0].concat(sources[1]) },
        Row("concat(_:)", "after elements", keeps: .nothing) { source, _ in Observable.of(1, 2).concat(source) },
        Row("concat(_:)", "collection", sources: 3) { sources, _, _ in .concat(sources) },
        Row("concat(_:)", "sequence", sources: 3) { sources, _, _ in .concat(AnySequence(sources)) },
        Row("concat(_:)", "list", sources: 2) { sources, _, _ in .concat(sources[0], sources[1]) },
        Row("ifEmpty(default:)", keeps: .everything) { source, _ in source.ifEmpty(default: 0) },
        Row("ifEmpty(switchTo:)", sources: 2) { sources, _, _ in sources[0].ifEmpty(switchTo: sources[1]) },
        Row("ifEmpty(switchTo:)", "empty", keeps: .everything) { source, _ in
            Observable.empty().ifEmpty(switchTo: source)
        },
        Row("merge(_:)", "collection", sources: 3, keeps: .everything) { sources, _, _ in
            .merge(ContiguousArray(sources))
        },
        Row("merge(_:)", "array", sources: 2, keeps: .everything) { sources, _, _ in .merge(sources) },
        Row("merge(_:)", "list", sources: 3, keeps: .everything) { sources, _, _ in
            .merge(sources[0], sources[1], sources[2])
        },
        Row("merge()", sources: 2, keeps: .everything) { sources, _, _ in Observable.from(sources).merge() },
        Row("merge(maxConcurrent:)", "one", sources: 3) { sources, _, _ in
            Observable.from(sources).merge(maxConcurrent: 1)
        },
        Row("merge(maxConcurrent:)", "two", sources: 3) { sources, _, _ in
            Observable.from(sources).merge(maxConcurrent: 2)
        },
        Row("concat()", sources: 3) { sources, _, _ in Observable.from(sources).concat() },
        Row("switchLatest()", sources: 2) { sources, _, _ in
            sources[0].map { element in element % 100 == 1 ? sources[1] : .just(element) }.switchLatest()
        },
        Row("startWith(_:)", keeps: .nothing) { source, _ in source.startWith(1, 2) },
        Row("startWith(_:)", "nothing", keeps: .everything) { source, _ in source.startWith() },
        Row("withLatestFrom(_:)", sources: 2, keeps: .repeating) { sources, _, _ in
            sources[0].withLatestFrom(sources[1])
        },
        Row("withLatestFrom(_:resultSelector:)", sources: 2) { sources, _, probe in
            sources[0].withLatestFrom(sources[1]) { first, _ in
                try probe.visit("resultSelector")
                return first
            }
        },
        Row("withLatestFrom(_:resultSelector:)", "itself", chains: false) { source, probe in
            source.withLatestFrom(source) { first, _ in
                try probe.visit("resultSelector")
                return first
            }
        },
    ]
}
