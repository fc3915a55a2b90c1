// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

/// A sequence whose observer goes to another thread while it is being subscribed to.
private final class HandedOver {
    private let parker = Parker()
    private var observer: AnyObserver<Element>?
    let resource = Resource()
    let subscriptions = Count()

    var observable: Observable<Element> {
        Observable.create { [self] in
            subscriptions.add()
            observer = $0
            parker.unpark()
            return resource
        }
    }

    /// Waits for the observer and takes it.
    func take() -> AnyObserver<Element> {
        parker.park(until: .max)
        return observer.take()!
    }
}

/// A sequence of one element that notes which thread subscribes to it.
private final class Following {
    let subscriptions = Count()
    private let thread = Cell()

    func observable(_ number: Int) -> Observable<Element> {
        .deferred { [self] in
            subscriptions.add()
            thread.value = Int(bitPattern: CurrentThread.identity)
            return .just(Element(number))
        }
    }

    func requireThread(_ cell: Cell) {
        require(subscriptions.value == 1, "\(subscriptions.value) subscriptions to the next source")
        require(thread.value == cell.value, "another thread than the one that brought the end began the next source")
    }
}

extension Scenario {
    static let resubscribing: [Scenario] = [
        Scenario(
            "resubscribing.concat",
            "the thread that brings the end of a source begins the next one, also while the first is being subscribed to"
        ) {
            let (first, second) = (HandedOver(), Following())
            let log = Log()
            let ending = Cell()
            let concatenated = Observable.concat([first.observable, second.observable(2)])
            return Run(
                { _ = log.observe(concatenated) },
                {
                    ending.value = Int(bitPattern: CurrentThread.identity)
                    let observer = first.take()
                    observer.onNext(Element(1))
                    observer.onCompleted()
                }
            ) {
                require(log.numbers == [1, 2] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                require(first.resource.isDisposed, "the first source is not disposed of")
                second.requireThread(ending)
            }
        },
        Scenario(
            "resubscribing.three",
            "three threads, each of which ends a source that another one begins: all come, in order", preemptions: 2
        ) {
            let (first, second) = (HandedOver(), HandedOver())
            let third = Following()
            let log = Log()
            let ending = Cell()
            let concatenated = Observable.concat([first.observable, second.observable, third.observable(3)])
            return Run(
                { _ = log.observe(concatenated) },
                { first.take().onCompleted() },
                {
                    ending.value = Int(bitPattern: CurrentThread.identity)
                    let observer = second.take()
                    observer.onNext(Element(2))
                    observer.onCompleted()
                }
            ) {
                require(log.numbers == [2, 3] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                require(first.resource.isDisposed && second.resource.isDisposed, "a source is not disposed of")
                third.requireThread(ending)
            }
        },
        Scenario(
            "resubscribing.retry", "a source that fails while it is being subscribed to is subscribed to once more"
        ) {
            let (first, second) = (HandedOver(), Following())
            let log = Log()
            let ending = Cell()
            let attempts = Count()
            let source = Observable<Element>.deferred {
                attempts.add()
                return attempts.value == 1 ? first.observable : second.observable(2)
            }
            return Run(
                { _ = log.observe(source.retry()) },
                {
                    ending.value = Int(bitPattern: CurrentThread.identity)
                    first.take().onError(Expected.failure)
                }
            ) {
                require(log.numbers == [2] && log.ends == 1, "\(log.numbers), ends \(log.ends)")
                require(first.resource.isDisposed, "the first source is not disposed of")
                second.requireThread(ending)
            }
        },
        Scenario(
            "resubscribing.dispose",
            "a sequence disposed of while one thread subscribes and another one ends the source leaves nothing",
            preemptions: 2
        ) {
            let (first, second) = (HandedOver(), HandedOver())
            let log = Log()
            let subscription = SingleAssignmentDisposable()
            let concatenated = Observable.concat([first.observable, second.observable])
            return Run(
                { subscription.setDisposable(log.observe(concatenated)) },
                { first.take().onCompleted() },
                { subscription.dispose() }
            ) {
                require(first.resource.isDisposed, "the first source is not disposed of")
                let isBegun = second.subscriptions.value == 1
                require(!isBegun || second.resource.isDisposed, "the second source is not disposed of")
                require(log.ends == 0, "an end behind the dispose")
            }
        },
    ]
}
