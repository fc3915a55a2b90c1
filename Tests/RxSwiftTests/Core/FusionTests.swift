// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Three and more of `map`, `filter` and `compactMap` in a row, which run in one stage when their elements are plain bytes.
@Suite struct FusionTests {
    private struct Wide: Equatable {
        var words: (Int, Int, Int, Int, Int, Int, Int) = (1, 2, 3, 4, 5, 6, 7)
        var sum: Int { words.0 + words.1 + words.2 + words.3 + words.4 + words.5 + words.6 }
        static func == (left: Wide, right: Wide) -> Bool { left.sum == right.sum }
    }

    private struct Failure: Error {}

    @Test("Fused steps carry elements of different sizes and alignments") func differingSizes() {
        let source = PublishSubject<Int>()
        var received: [Double] = []
        let small: Observable<Int8> = source.compactMap { $0 == 99 ? nil : Int8(truncatingIfNeeded: $0) }.filter {
            $0 >= 0
        }
        let vectors: Observable<SIMD8<Int32>> = small.map { SIMD8<Int32>(repeating: Int32($0)) }
        let wide: Observable<Wide> = vectors.map { vector in
            var wide = Wide()
            wide.words.6 = Int(vector.wrappedSum())
            return wide
        }
        let pairs: Observable<(Int, Bool)> = wide.filter { $0.sum % 2 == 1 }.map { ($0.sum, true) }
        let numbers: Observable<Double> = pairs.map { $0.1 ? Double($0.0) : 0 }
        let subscription = numbers.subscribe(onNext: { received.append($0) })
        for value in [-3, -2, -1, 0, 1, 99, 2, 3] {
            source.onNext(value)
        }
        subscription.dispose()
        #expect(received == [21, 29, 37, 45])
    }

    @Test("Fused steps of plain bytes connect to steps of counted references") func bytesAmongReferences() {
        var received: [String] = []
        let long: Observable<String> = Observable.of("a", "bb", "", "dddd").map { $0 + "!" }.filter { $0.count > 1 }
        let counts: Observable<Int> = long.map { $0.count }.filter { $0 > 2 }.map { $0 * 2 }.map { $0 + 0 }
        let texts: Observable<String> = counts.map { String($0) }.map { $0 + "." }
        _ = texts.subscribe(onNext: { received.append($0) })
        #expect(received == ["6.", "10."])
    }

    @Test("Disposing inside a closure stops the element at that step", arguments: 0..<6)
    func disposeInClosure(step: Int) {
        let source = PublishSubject<Int>()
        let subscription = SerialDisposable()
        var reached: [Int] = []
        func visit(_ place: Int) {
            reached.append(place)
            if place == step { subscription.dispose() }
        }
        subscription.disposable =
            source
            .map {
                visit(0)
                return $0
            }
            .filter { _ in
                visit(1)
                return true
            }
            .map {
                visit(2)
                return $0
            }
            .filter { _ in
                visit(3)
                return true
            }
            .map {
                visit(4)
                return $0
            }
            .filter { _ in
                visit(5)
                return true
            }
            .subscribe(onNext: { _ in reached.append(6) })
        source.onNext(1)
        source.onNext(2)
        #expect(reached == Array(0...step))
        #expect(!source.hasObservers)
    }

    @Test("An error that a closure throws ends the sequence", arguments: 0..<6) func throwInClosure(step: Int) {
        let source = PublishSubject<Int>()
        var events: [String] = []
        func visit(_ place: Int, _ element: Int) throws {
            if place == step, element == 2 { throw Failure() }
        }
        let subscription =
            source
            .map {
                try visit(0, $0)
                return $0
            }
            .filter {
                try visit(1, $0)
                return true
            }
            .map {
                try visit(2, $0)
                return $0
            }
            .filter {
                try visit(3, $0)
                return true
            }
            .map {
                try visit(4, $0)
                return $0
            }
            .filter {
                try visit(5, $0)
                return true
            }
            .subscribe(
                onNext: { events.append("\($0)") }, onError: { events.append("\($0)") },
                onDisposed: { events.append("disposed") })
        for element in 1...3 {
            source.onNext(element)
        }
        #expect(events == ["1", "Failure()", "disposed"])
        #expect(!source.hasObservers)
        subscription.dispose()
    }

    @Test("An element sent from inside a closure waits for the current one") func reentrantElement() {
        let source = PublishSubject<Int>()
        var received: [Int] = []
        let subscription =
            source
            .map { $0 + 1 }
            .filter { value in
                if value == 2 { source.onNext(10) }
                return true
            }
            .map { $0 * 2 }
            .map { $0 + 0 }
            .subscribe(onNext: { received.append($0) })
        source.onNext(1)
        #expect(received == [4, 22])
        subscription.dispose()
    }

    @Test("Two subscriptions to one fused sequence do not share elements") func independentSubscriptions() {
        var received: [Int] = []
        let inner = Observable<Int>.of(1, 2).map { $0 * 10 }.map { $0 + 1 }.filter { $0 > 0 }.map { $0 + 1 }
        _ = inner.concatMap { outer in inner.map { $0 + outer * 100 } }.subscribe(onNext: { received.append($0) })
        #expect(received == [1_212, 1_222, 2_212, 2_222])
    }

    @Test("The subscription releases the captures of its closures") func closureCaptures() {
        final class Token {}
        let source = PublishSubject<Int>()
        weak var weakToken: Token?
        var cold: Observable<Int>?
        do {
            let token = Token()
            weakToken = token
            cold = source.map {
                _ = token
                return $0
            }.filter { _ in
                _ = token
                return true
            }
            .map {
                _ = token
                return $0
            }.map {
                _ = token
                return $0
            }
        }
        let subscription = cold!.subscribe()
        cold = nil
        #expect(weakToken != nil)
        subscription.dispose()
        #expect(weakToken == nil)
    }
}
