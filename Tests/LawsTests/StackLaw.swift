// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L8: a stack of 8 MiB is enough for a million steps, for 20,000 operators and for recursion 5,000 deep.
    ///
    /// Those are the numbers of release builds; debug builds, with their larger frames, do fewer.
    @Suite struct StackLaw {
        static let million = stepCount(1_000_000, debug: 20_000)
        static let operators = stepCount(20_000, debug: 1_500)
        static let depth = stepCount(5_000, debug: 400)

        /// In a process of its own in release builds: a stack that overflows ends the process, and no other test would run.
        @Test("A long chain of one operator fits the stack", arguments: Laws.chainable)
        func chainOfOneOperator(_ subject: Case) async {
            #if DEBUG
                for complaint in Self.complaintsOfChain(of: subject.description) { Issue.record("\(complaint)") }
            #else
                await #expect(processExitsWith: .success) { [name = subject.description as String] in
                    let complaints = Self.complaintsOfChain(of: name)
                    precondition(complaints.isEmpty, complaints.joined(separator: ", "))
                }
            #endif
        }

        /// Builds a chain, runs it, releases it; and again, disposing of it.
        private static func complaintsOfChain(of name: String) -> [String] {
            guard let subject = Laws.chainable.first(where: { $0.description == name }) else {
                return ["no row \(name)"]
            }
            let row = subject.row
            let length = operators / row.weight
            let record = Record()
            let subscribing = Record()
            let (isReleased, isUnsubscribed, isTaken) = onEightMebibytes {
                let port = Port(.create)
                weak var released: Probe?
                do {
                    let probe = Probe(Script())
                    released = probe
                    var chain = port.observable
                    for _ in 0..<length { chain = row.build([chain], 0, probe) }
                    _ = chain.subscribe(Witness(record))
                }
                port.send(.next(1))
                port.send(.next(2))
                port.send(.completed)
                port.forget()
                if !row.isAsynchronous { subscribeToJust(row, length / 4, subscribing) }
                return (
                    released == nil, isUnsubscribedAfterDispose(row, length), isUnsubscribedAfterTake(row, length / 2)
                )
            }
            var complaints = isUnsubscribed ? [] : ["subscribed after dispose"]
            if row.passesErrors, !row.isAsynchronous,
                !onEightMebibytes({ passesError(row, operators / row.errorWeight) })
            {
                complaints.append("no error")
            }
            if row.keeps == .everything, !row.isAsynchronous, !isTaken { complaints.append("subscribed after take(1)") }
            guard !row.isAsynchronous, row.completes else { return complaints }
            if !record.hasEnded { complaints.append("not completed: \(record.text)") }
            if !subscribing.hasEnded { complaints.append("not completed while subscribing: \(subscribing.text)") }
            if !isReleased { complaints.append("not released") }
            if row.keeps == .everything, record.elements != [1, 2] { complaints.append("elements: \(record.text)") }
            return complaints
        }

        /// The source ends while the chain is being subscribed to. The stack holds both, and some rows are several
        /// operators, so a quarter of the length.
        private static func subscribeToJust(_ row: Row, _ length: Int, _ record: Record) {
            let probe = Probe(Script())
            var chain = Observable.just(1)
            for _ in 0..<length { chain = row.build([chain], 0, probe) }
            _ = chain.subscribe(Witness(record))
        }

        /// True if the chain ends with the error of its source, which fails after an element, unless the element ends the chain.
        private static func passesError(_ row: Row, _ length: Int) -> Bool {
            let port = Port(.create)
            let probe = Probe(Script())
            let record = Record()
            var chain = port.observable
            for _ in 0..<length { chain = row.build([chain], 0, probe) }
            let subscription = chain.subscribe(Witness(record))
            chain = .never()
            port.send(.next(1))
            let hasEnded = record.hasEnded
            port.send(.error(Failure.expected))
            port.forget()
            subscription.dispose()
            return hasEnded || record.terminal?.error != nil
        }

        private static func isUnsubscribedAfterDispose(_ row: Row, _ length: Int) -> Bool {
            let port = Port(.subject)
            let probe = Probe(Script())
            var chain = port.observable
            for _ in 0..<length { chain = row.build([chain], 0, probe) }
            let subscription = chain.subscribe(Witness(Record()))
            chain = .never()
            subscription.dispose()
            return !port.isObserved
        }

        /// The chain is cancelled while the element is on its way through it. The stack holds both ways, so half the length.
        private static func isUnsubscribedAfterTake(_ row: Row, _ length: Int) -> Bool {
            let port = Port(.subject)
            let probe = Probe(Script())
            var chain = port.observable
            for _ in 0..<length { chain = row.build([chain], 0, probe) }
            let record = Record()
            let subscription = chain.take(1).subscribe(Witness(record))
            chain = .never()
            port.send(.next(1))
            // Operators that keep elements send them now.
            if record.elements.isEmpty { port.send(.completed) }
            let isUnsubscribed = !port.isObserved
            subscription.dispose()
            return isUnsubscribed
        }

        struct Steps: Sendable, CustomTestStringConvertible {
            let name: String
            let expected: Int
            let build: @Sendable (Int) -> Observable<Int>

            init(
                _ name: String, expected: Int = StackLaw.million, _ build: @escaping @Sendable (Int) -> Observable<Int>
            ) {
                self.name = name
                self.expected = expected
                self.build = build
            }

            var testDescription: String { name }
        }

        static let loops: [Steps] = [
            Steps("range") { .range(start: 0, count: $0) },
            Steps("repeatElement") { Observable.repeatElement(0).take($0) },
            Steps("generate") { count in
                .generate(initialState: 0, condition: { $0 < count }, iterate: { $0 + 1 })
            },
            Steps("from a sequence") { .from(0..<$0) },
            Steps("create") { count in
                .create { observer in
                    for number in 0..<count { observer.onNext(number) }
                    observer.onCompleted()
                    return Disposables.create()
                }
            },
            Steps("concat of just") { .concat((0..<$0).lazy.map { .just($0) }) },
            Steps("concat of of") { .concat((0..<$0).lazy.map { .of($0) }) },
            Steps("concat of empty", expected: 0) { .concat((0..<$0).lazy.map { _ in .empty() }) },
            Steps("concat of a sequence that is not a collection") {
                .concat(AnySequence((0..<$0).lazy.map { Observable.just($0) }))
            },
            Steps("merge of just") { .merge((0..<$0).map { .just($0) }) },
            Steps("catch(sequence:)", expected: 0) {
                Observable.catch(
                    sequence: AnySequence((0..<$0).lazy.map { _ in Observable<Int>.error(LawError.source) })
                ).catch { _ in .empty() }
            },
            Steps("retry") { count in
                let left = AtomicWord(UInt(count))
                return Observable.create { observer in
                    observer.onNext(0)
                    if left.fetchAdd(0 &- 1) == 1 { observer.onCompleted() } else { observer.onError(LawError.source) }
                    return Disposables.create()
                }.retry()
            },
            Steps("retry of error", expected: 0) { count in
                Observable<Int>.error(LawError.source).retry(count).catch { _ in .empty() }
            },
            Steps("retry(when:)") { count in
                let left = AtomicWord(UInt(count))
                return Observable.create { observer in
                    observer.onNext(0)
                    if left.fetchAdd(0 &- 1) == 1 { observer.onCompleted() } else { observer.onError(LawError.source) }
                    return Disposables.create()
                }.retry { (errors: Observable<any Error>) in errors }
            },
            Steps("flatMap to just") { Observable.range(start: 0, count: $0).flatMap { Observable.just($0) } },
            Steps("flatMap to of") { Observable.range(start: 0, count: $0).flatMap { Observable.of($0) } },
            Steps("merge(_:) of subjects' elements") { count in
                let subject = PublishSubject<Int>()
                return .create { observer in
                    let subscription = subject.subscribe(onNext: { number in
                        // Emitting from inside the callback: a loop, not a recursion.
                        observer.onNext(number)
                        if number + 1 < count { subject.onNext(number + 1) } else { observer.onCompleted() }
                    })
                    subject.onNext(0)
                    return subscription
                }
            },
            Steps("scheduleRecursive") { count in
                .create { observer in
                    CurrentThreadScheduler.instance.scheduleRecursive(0) { number, recurse in
                        observer.onNext(number)
                        if number + 1 < count { recurse(number + 1) } else { observer.onCompleted() }
                    }
                }
            },
        ]

        @Test("A million steps fit the stack", arguments: loops) func aMillionSteps(_ steps: Steps) {
            let (elements, hasCompleted) = count(steps.build, Self.million)
            #expect(elements == steps.expected)
            #expect(hasCompleted)
        }

        static let recursions: [Steps] = [
            Steps("flatMap of just", expected: 1) { flatMapJust($0) },
            Steps("flatMap of of", expected: 1) { flatMapOf($0) },
            Steps("concat with itself deferred", expected: depth) { concatDeferred($0) },
            Steps("startWith before itself deferred", expected: depth) { startWithDeferred($0) },
            Steps("catch of catch", expected: 0) { catching($0).catch { _ in .empty() } },
        ]

        static func flatMapJust(_ depth: Int) -> Observable<Int> {
            depth == 0 ? .just(0) : Observable.just(depth).flatMap { flatMapJust($0 - 1) }
        }

        static func flatMapOf(_ depth: Int) -> Observable<Int> {
            depth == 0 ? .of(0) : Observable.of(depth).flatMap { flatMapOf($0 - 1) }
        }

        static func concatDeferred(_ depth: Int) -> Observable<Int> {
            depth == 0 ? .empty() : Observable.just(depth).concat(Observable.deferred { concatDeferred(depth - 1) })
        }

        static func startWithDeferred(_ depth: Int) -> Observable<Int> {
            depth == 0 ? .empty() : Observable.deferred { startWithDeferred(depth - 1) }.startWith(depth)
        }

        static func catching(_ depth: Int) -> Observable<Int> {
            depth == 0 ? .error(LawError.source) : Observable.error(LawError.source).catch { _ in catching(depth - 1) }
        }

        @Test("A recursion of five thousand levels fits the stack", arguments: recursions)
        func recursionFiveThousandDeep(_ steps: Steps) {
            let (elements, hasCompleted) = count(steps.build, Self.depth)
            #expect(elements == steps.expected)
            #expect(hasCompleted)
        }

        private func count(
            _ build: @escaping @Sendable (Int) -> Observable<Int>, _ size: Int
        ) -> (elements: Int, hasCompleted: Bool) {
            onEightMebibytes {
                var elements = 0
                var hasCompleted = false
                _ = build(size).subscribe(
                    onNext: { _ in elements += 1 },
                    onCompleted: { hasCompleted = true })
                return (elements, hasCompleted)
            }
        }
    }
}
