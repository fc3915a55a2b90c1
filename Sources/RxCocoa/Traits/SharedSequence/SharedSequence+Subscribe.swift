// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift

// The closures that subscribe to drivers and signals are not `@Sendable`, as those of `subscribe` are: in code of the main actor they belong to
// it, and may use what belongs to it. In Swift 6 mode such a closure stops the program when it is called elsewhere. So it never is:
// elements come on the main queue already, and a subscription that begins elsewhere hops there, unless the sequence was made under `SharingScheduler.mock`. (The type `@MainActor (Element) -> Void`
// would spare the check, but then a view model without an actor does not compile.)

extension SharedSequenceConvertibleType {
    /// Subscribes closures that run on the main queue, or where the mock delivers under which the sequence was made.
    ///
    /// On the main queue the remembered element comes inside this call; elsewhere it comes later, on the main queue, as all others do.
    func subscribeOnMain(
        onNext: ((Element) -> Void)?, onCompleted: (() -> Void)?, onDisposed: (() -> Void)?
    ) -> any Disposable {
        let sequence = asSharedSequence()
        return source(of: sequence).subscribe(
            onNext: onNext, onCompleted: onCompleted,
            onDisposed: sequence.isMocked ? onDisposed : onDisposed.map { onMainQueue($0) })
    }

    private func source(of sequence: SharedSequence<SharingStrategy, Element>) -> Observable<Element> {
        if sequence.isMocked { return sequence.source }
        if MainQueue.isCurrent { return MainQueueDelivery(source: sequence.source) }
        return sequence.source.observe(on: MainScheduler.instance)
    }

    /// Subscribes closures that run there, and receive an object that is held weakly.
    func subscribeOnMain<Object: AnyObject>(
        with object: Object, onNext: ((Object, Element) -> Void)?,
        onCompleted: ((Object) -> Void)?, onDisposed: ((Object) -> Void)?
    ) -> any Disposable {
        nonisolated(unsafe) weak let object = object
        return subscribeOnMain(
            onNext: onNext.map { onNext in { element in if let object { onNext(object, element) } } },
            onCompleted: onCompleted.map { onCompleted in { if let object { onCompleted(object) } } },
            onDisposed: onDisposed.map { onDisposed in { if let object { onDisposed(object) } } })
    }
}
