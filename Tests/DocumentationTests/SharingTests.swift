// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

extension Documentation {
    @Suite struct SharingTests {
        /// Work with another result each time.
        private static func work(_ console: Console) -> Observable<Int> {
            var result = 0
            return Observable.deferred {
                console.print("Performing work ...")
                result += 1
                return Observable.just(result)
            }
        }

        private static func subscribeThrice(_ source: Observable<Int>, _ console: Console) {
            for _ in 0..<3 {
                _ = source.subscribe(
                    onNext: { console.print("next \($0)") }, onCompleted: { console.print("completed") })
            }
        }

        static let scopes: [Example] = [
            Example(
                "each connection remembers for itself",
                prints: [
                    "Performing work ...", "next 1", "completed",
                    "Performing work ...", "next 2", "completed",
                    "Performing work ...", "next 3", "completed",
                ]
            ) { console, _ in
                subscribeThrice(work(console).share(replay: 1, scope: .whileConnected), console)
            },
            Example(
                "one memory for ever",
                prints: ["Performing work ...", "next 1", "completed", "next 1", "completed", "next 1", "completed"]
            ) { console, _ in
                subscribeThrice(work(console).share(replay: 1, scope: .forever), console)
            },
            Example(
                "without share",
                prints: [
                    "Performing work ...", "next 1", "completed",
                    "Performing work ...", "next 2", "completed",
                    "Performing work ...", "next 3", "completed",
                ]
            ) { console, _ in
                subscribeThrice(work(console), console)
            },
        ]

        /// The elements of a late subscriber to a running sequence, and of a late subscriber after all other subscribers have left.
        static let lateSubscribers: [Example] = [
            Example("share() sends a late subscriber nothing", prints: ["1 a", "1 b", "2 b", "3 c"]) {
                console, disposeBag in
                comeAndGo(console, disposeBag) { $0.share() }
            },
            Example(
                "share(replay: 1) tells it the last element, until everybody has left",
                prints: ["1 a", "2 a", "1 b", "2 b", "3 c"]
            ) { console, disposeBag in
                comeAndGo(console, disposeBag) { $0.share(replay: 1) }
            },
            Example(
                "share(replay: 1, scope: .forever) also then",
                prints: ["1 a", "2 a", "1 b", "2 b", "3 b", "3 c"]
            ) { console, disposeBag in
                comeAndGo(console, disposeBag) { $0.share(replay: 1, scope: .forever) }
            },
        ]

        private static func comeAndGo(
            _ console: Console, _ disposeBag: DisposeBag, share: (Observable<String>) -> Observable<String>
        ) {
            let source = PublishSubject<String>()
            let shared = share(source)
            let first = shared.subscribe(onNext: { console.print("1", $0) })
            source.onNext("a")
            let second = shared.subscribe(onNext: { console.print("2", $0) })
            source.onNext("b")
            first.dispose()
            second.dispose()
            shared.subscribe(onNext: { console.print("3", $0) }).disposed(by: disposeBag)
            source.onNext("c")
        }

        @Test("Each example prints its documented output", arguments: scopes + lateSubscribers)
        func documentedOutput(_ example: Example) {
            #expect(example.printed == example.documented)
        }
    }
}
