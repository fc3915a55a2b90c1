// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import Testing

extension ObservableType {
    /// Traces events, as an operator that a program writes itself.
    fileprivate func traced(_ identifier: String, _ console: Console) -> Observable<Element> {
        Observable.create { observer in
            console.print("subscribed \(identifier)")
            let subscription = self.subscribe { event in
                console.print("event \(identifier)  \(event)")
                switch event {
                case .next(let value): observer.on(.next(value))
                case .error(let error): observer.on(.error(error))
                case .completed: observer.on(.completed)
                }
            }
            return Disposables.create {
                console.print("disposing \(identifier)")
                subscription.dispose()
            }
        }
    }
}

/// A screen with a title, which a faulty variant retains for ever.
private final class Screen {
    let title = BehaviorRelay(value: "")
    private let disposeBag = DisposeBag()

    init(keepsItself: Bool) {
        title.subscribe(onNext: { [weak self] _ in _ = self?.title.value }).disposed(by: disposeBag)
        if keepsItself {
            title.subscribe(onNext: { _ in _ = self.title.value }).disposed(by: disposeBag)
        }
    }
}

extension Documentation {
    @Suite struct DebuggingTests {
        /// Returns the lines of a program's output, without the times of day that `debug` prints.
        private func lines(_ output: [UInt8]) -> [String] {
            String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
                if let match = line.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}: (.*)/#) {
                    return String(match.1)
                }
                return line.hasPrefix("> ") || line.hasPrefix("Unhandled") ? String(line) : nil
            }
        }

        @Test("debug prints each event") func debugEvents() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let fruits = Observable<String>.create { observer in
                    observer.onNext("apple")
                    observer.onNext("pear")
                    observer.onCompleted()
                    return Disposables.create()
                }
                let disposeBag = DisposeBag()
                fruits.debug("Fruit").subscribe().disposed(by: disposeBag)
            }
            #expect(
                lines(result.standardOutputContent) == [
                    "Fruit -> subscribed", "Fruit -> Event next(apple)", "Fruit -> Event next(pear)",
                    "Fruit -> Event completed", "Fruit -> isDisposed",
                ])
        }

        @Test("debug is a probe between operators") func debugProbe() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let numbers = PublishSubject<Int>()
                let subscription =
                    numbers
                    .debug("my probe")
                    .map { "This is simply \($0)" }
                    .subscribe(onNext: { print(">", $0) })
                numbers.onNext(0)
                numbers.onNext(1)
                subscription.dispose()
            }
            #expect(
                lines(result.standardOutputContent) == [
                    "my probe -> subscribed", "my probe -> Event next(0)", "> This is simply 0",
                    "my probe -> Event next(1)", "> This is simply 1", "my probe -> isDisposed",
                ])
        }

        @Test("debug prints the events of failing retries") func debugRetries() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let fruits = Observable<String>.create { observer in
                    observer.onNext("apple")
                    observer.onError(ExampleError.test)
                    print("> Error encountered")
                    return Disposables.create()
                }
                _ = fruits.retry(2).debug("Fruit").subscribe(onNext: { print(">", $0) })
            }
            var expected = [
                "Fruit -> subscribed",
                "Fruit -> Event next(apple)", "> apple", "> Error encountered",
                "Fruit -> Event next(apple)", "> apple", "> Error encountered",
                "Fruit -> Event error(test)", "Unhandled error happened: test", "Fruit -> isDisposed",
            ]
            #if !DEBUG
                expected.removeAll { $0.hasPrefix("Unhandled") }
            #endif
            #expect(lines(result.standardOutputContent) == expected)
        }

        @Test("debug prints its place unless it has a name") func debugName() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
                func show() { _ = Observable.just(1).debug().subscribe() }
                show()
            }
            let first = try #require(lines(result.standardOutputContent).first)
            #expect(first.wholeMatch(of: #/DebuggingTests\.swift:\d+ \(show\(\)\) -> subscribed/#) != nil)
        }

        @Test("An operator of the program traces events as debug does") func ownDebug() {
            let console = Console()
            let numbers = PublishSubject<Int>()
            let subscription = numbers.traced("mine", console).subscribe(onNext: { console.print($0) })
            numbers.onNext(1)
            subscription.dispose()
            #expect(console.lines == ["subscribed mine", "event mine  next(1)", "1", "disposing mine"])
        }

        #if TRACE_RESOURCES
            /// In a process of its own, since the count is the process's.
            @Test("The resource count returns to its value after a second visit") func countAfterVisit() async {
                await #expect(processExitsWith: .success) {
                    func visit(keepsItself: Bool = false) {
                        let screen = Screen(keepsItself: keepsItself)
                        screen.title.accept("hello")
                    }
                    visit()
                    let initial = Resources.total
                    visit()
                    precondition(Resources.total == initial, "\(Resources.census())")
                    visit(keepsItself: true)
                    precondition(Resources.total > initial)
                }
            }

            @Test("The resource count follows the subscriptions") func countOfSubscriptions() async {
                await #expect(processExitsWith: .success) {
                    let start = Resources.total
                    do {
                        let disposeBag = DisposeBag()
                        precondition(Resources.total == start + 1)
                        let subject = BehaviorSubject(value: "apple")
                        let withSubject = Resources.total
                        precondition(withSubject > start + 1)
                        let first = subject.subscribe(onNext: { _ in })
                        let withFirst = Resources.total
                        precondition(withFirst > withSubject)
                        let second = subject.subscribe(onNext: { _ in })
                        precondition(Resources.total == withFirst + (withFirst - withSubject))
                        first.dispose()
                        precondition(Resources.total < withFirst + (withFirst - withSubject))
                        second.dispose()
                        withExtendedLifetime((disposeBag, subject, first, second)) {}
                    }
                    precondition(Resources.total == start, "\(Resources.census())")
                }
            }
        #endif
    }
}
