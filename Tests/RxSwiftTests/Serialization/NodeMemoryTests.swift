// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

/// Elements of any size and alignment wait at a serializer, and are released when they are dropped.
@Suite struct NodeMemoryTests {
    private struct Empty: Equatable {}

    private struct Unaligned: Equatable {
        var word: Int
        var byte: UInt8
    }

    private final class Payload: Equatable {
        static func == (left: Payload, right: Payload) -> Bool { left === right }
    }

    @Test("Elements of any size and alignment wait at a serializer") func anySize() {
        wait(UInt8(1), 2)
        wait(Empty(), Empty())
        wait(Unaligned(word: 1, byte: 2), Unaligned(word: 3, byte: 4))
        wait(SIMD4<Double>(repeating: 1), SIMD4<Double>(repeating: 2))
        wait(SIMD16<Double>(repeating: 1), SIMD16<Double>(repeating: 2))
        wait("a text that is too long for a word", "another text that is too long for a word")
        wait(Payload(), Payload())
        wait(UInt8?.some(1), nil)
    }

    /// Sends `second` from inside the callback of `first`, through each kind of serializer.
    private func wait<Element: Equatable>(_ first: Element, _ second: Element) {
        let never = Observable<Element>.never()
        wait(first, second) { $0.asObservable() }
        wait(first, second) { Observable.merge($0.asObservable(), never) }
        wait(first, second) { source in Observable.just(()).flatMapLatest { source } }
        wait(first, second) { Observable.combineLatest([$0.asObservable()]).map { $0[0] } }
        wait(first, second) { $0.share(replay: 1) }
        wait(first, second) { $0.share(replay: 1_000) }
    }

    private func wait<Element: Equatable>(
        _ first: Element, _ second: Element, through chain: (PublishSubject<Element>) -> Observable<Element>
    ) {
        let source = PublishSubject<Element>()
        nonisolated(unsafe) var received: [Element] = []
        nonisolated(unsafe) let sent = second
        let subscription = chain(source).subscribe(onNext: {
            received.append($0)
            if received.count == 1 {
                source.onNext(sent)
                source.onCompleted()
            }
        })
        source.onNext(first)
        #expect(received == [first, second])
        subscription.dispose()
    }

    @Test("An element that is dropped while it waits is released") func droppedElement() {
        weak var dropped: Payload?
        let source = PublishSubject<Payload>()
        let merged = Observable.merge(source.asObservable(), .never())
        let disposable = SingleAssignmentDisposable()
        nonisolated(unsafe) var count = 0
        disposable.setDisposable(
            merged.subscribe(onNext: { _ in
                count += 1
                let payload = Payload()
                dropped = payload
                source.onNext(payload)
                disposable.dispose()
            }))
        source.onNext(Payload())
        #expect(count == 1 && dropped == nil)
    }
}
