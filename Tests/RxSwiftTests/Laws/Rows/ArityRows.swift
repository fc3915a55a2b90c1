import RxSwift

extension Laws {
    static let arityRows: [Row] = [zipRows, zipTupleRows, combineLatestRows, combineLatestTupleRows].flatMap { $0 }

    private static let zipRows: [Row] = [
        Row("zip(_:)", sources: 3, keeps: .tested) { sources, tested, _ in
            Observable.zip(sources).map { $0[tested] }
        },
        Row("zip(_:resultSelector:)", sources: 3, keeps: .tested) { sources, tested, probe in
            Observable.zip(sources) {
                try probe.visit("resultSelector")
                return $0[tested]
            }
        },
        Row("zip(_:_:resultSelector:)", sources: 2, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1]) {
                (e1: Int, e2: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2][tested]
            }
        },
        Row("zip(_:_:_:resultSelector:)", sources: 3, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2]) {
                (e1: Int, e2: Int, e3: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3][tested]
            }
        },
        Row("zip(_:_:_:_:resultSelector:)", sources: 4, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2], s[3]) {
                (e1: Int, e2: Int, e3: Int, e4: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4][tested]
            }
        },
        Row("zip(_:_:_:_:_:resultSelector:)", sources: 5, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2], s[3], s[4]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:resultSelector:)", sources: 6, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:_:resultSelector:)", sources: 7, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int, e7: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6, e7][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:_:_:resultSelector:)", sources: 8, keeps: .tested) { s, tested, probe in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int, e7: Int, e8: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6, e7, e8][tested]
            }
        },
    ]

    private static let zipTupleRows: [Row] = [
        Row("zip(_:_:)", sources: 2, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1]).map { t -> Int in
                [t.0, t.1][tested]
            }
        },
        Row("zip(_:_:_:)", sources: 3, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2]).map { t -> Int in
                [t.0, t.1, t.2][tested]
            }
        },
        Row("zip(_:_:_:_:)", sources: 4, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2], s[3]).map { t -> Int in
                [t.0, t.1, t.2, t.3][tested]
            }
        },
        Row("zip(_:_:_:_:_:)", sources: 5, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2], s[3], s[4]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:)", sources: 6, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:_:)", sources: 7, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5, t.6][tested]
            }
        },
        Row("zip(_:_:_:_:_:_:_:_:)", sources: 8, keeps: .tested) { s, tested, _ in
            Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5, t.6, t.7][tested]
            }
        },
    ]

    private static let combineLatestRows: [Row] = [
        Row("combineLatest(_:)", sources: 3, keeps: .repeating) { sources, tested, _ in
            Observable.combineLatest(sources).map { $0[tested] }
        },
        Row("combineLatest(_:resultSelector:)", sources: 3, keeps: .repeating) { sources, tested, probe in
            Observable.combineLatest(sources) {
                try probe.visit("resultSelector")
                return $0[tested]
            }
        },
        Row("combineLatest(_:_:resultSelector:)", sources: 2, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1]) {
                (e1: Int, e2: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2][tested]
            }
        },
        Row("combineLatest(_:_:_:resultSelector:)", sources: 3, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2]) {
                (e1: Int, e2: Int, e3: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3][tested]
            }
        },
        Row("combineLatest(_:_:_:_:resultSelector:)", sources: 4, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2], s[3]) {
                (e1: Int, e2: Int, e3: Int, e4: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:resultSelector:)", sources: 5, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:resultSelector:)", sources: 6, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:_:resultSelector:)", sources: 7, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int, e7: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6, e7][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:_:_:resultSelector:)", sources: 8, keeps: .repeating) { s, tested, probe in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
                (e1: Int, e2: Int, e3: Int, e4: Int, e5: Int, e6: Int, e7: Int, e8: Int) throws -> Int in
                try probe.visit("resultSelector")
                return [e1, e2, e3, e4, e5, e6, e7, e8][tested]
            }
        },
    ]

    private static let combineLatestTupleRows: [Row] = [
        Row("combineLatest(_:_:)", sources: 2, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1]).map { t -> Int in
                [t.0, t.1][tested]
            }
        },
        Row("combineLatest(_:_:_:)", sources: 3, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2]).map { t -> Int in
                [t.0, t.1, t.2][tested]
            }
        },
        Row("combineLatest(_:_:_:_:)", sources: 4, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2], s[3]).map { t -> Int in
                [t.0, t.1, t.2, t.3][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:)", sources: 5, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:)", sources: 6, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:_:)", sources: 7, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5, t.6][tested]
            }
        },
        Row("combineLatest(_:_:_:_:_:_:_:_:)", sources: 8, keeps: .repeating) { s, tested, _ in
            Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { t -> Int in
                [t.0, t.1, t.2, t.3, t.4, t.5, t.6, t.7][tested]
            }
        },
    ]
}
