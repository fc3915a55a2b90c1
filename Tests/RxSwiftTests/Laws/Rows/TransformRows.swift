import RxSwift

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
        Row("dematerialize()", keeps: .everything) { source, _ in source.map { Event.next($0) }.dematerialize() },
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
    ]
}
