// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxSwift

/// The bytes of stack that a chain takes per operator.
struct StackUse {
    /// The source emits two elements and completes, once the chain is subscribed to.
    let running: Int
    /// The source emits and completes within the subscription, so that the stack holds the subscriptions besides.
    let subscribing: Int
    /// The lower end of the chain cancels it within an element, so that the stack holds the cancellations besides.
    let cancelled: Int

    /// The bytes that an operator may take, so that 20,000 of them fit into 8 MiB (law L8).
    static let limit = (8 << 20) / 20_000

    /// True if a chain of 20,000 runs, and one of 10,000 where the stack holds two ways.
    var isWithinLimit: Bool { running <= Self.limit && max(subscribing, cancelled) <= 2 * Self.limit }

    init(of row: StackRow) {
        running = Self.perOperator(row) { chain, port in
            let subscription = chain.subscribe(onNext: { _ in })
            for element in 1...2 { port()?.onNext(element) }
            port()?.onCompleted()
            subscription.dispose()
        }
        subscribing = Self.perOperator(row, above: .just(1)) { chain, _ in _ = chain.subscribe(onNext: { _ in }) }
        cancelled = Self.perOperator(row) { chain, port in
            let subscription = chain.take(1).subscribe(onNext: { _ in })
            port()?.onNext(1)
            subscription.dispose()
        }
    }

    /// The difference between a longer chain and a shorter one: what is there once cancels out.
    private static func perOperator(
        _ row: StackRow, above source: Observable<Int>? = nil,
        _ run: @escaping (Observable<Int>, _ port: () -> AnyObserver<Int>?) -> Void
    ) -> Int {
        func bytes(_ stages: Int) -> Int {
            var port: AnyObserver<Int>?
            var chain =
                source
                ?? .create {
                    port = $0
                    return Disposables.create()
                }
            for _ in 0..<stages { chain = row.stage(chain) }
            return stackBytes { run(chain) { port } }
        }
        let (few, many) = (200, 700)
        return (bytes(many) - bytes(few)) / ((many - few) * row.operators)
    }

    /// The bytes of stack that `body` takes, on a thread of its own.
    private static func stackBytes(_ body: @escaping () -> Void) -> Int {
        let size = 2 << 20
        let paint: UInt64 = 0xA5A5_A5A5_A5A5_A5A5
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1 << 16)
        defer { memory.deallocate() }
        let words = memory.bindMemory(to: UInt64.self, capacity: size / 8)
        words.update(repeating: paint, count: size / 8)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstack(&attributes, memory, size)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(body))
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(status == 0, "RxCosts: pthread_create failed with \(status)")
        pthread_join(thread, nil)
        pthread_attr_destroy(&attributes)
        var untouched = 0
        while untouched < size / 8, words[untouched] == paint { untouched += 1 }
        return size - 8 * untouched
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
