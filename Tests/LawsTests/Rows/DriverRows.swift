// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport

extension Laws {
    /// Conversions to drivers and signals, and subscriptions to them.
    static let driverRows: [Row] = [
        row("Driver.asDriver(onErrorJustReturn:)") { source, _ in
            source.asDriver(onErrorJustReturn: 0).filter { $0 != 0 }.asObservable()
        },
        row("Driver.asDriver(onErrorDriveWith:)") { source, _ in driver(source).asObservable() },
        row("Driver.asDriver(onErrorRecover:)") { source, probe in
            let other = Driver<Int>.empty()
            return source.asDriver { _ in
                probe.note("onErrorRecover")
                return other
            }.asObservable()
        },
        row("Driver.asDriver()", "driver") { source, _ in driver(source).asDriver().asObservable() },
        row("Driver.asDriver()", "infallible") { source, _ in
            driver(source).asInfallible().asDriver().asObservable()
        },
        row("Driver.share(_:)") { source, _ in DriverSharingStrategy.share(source) },
        row("Driver.drive(_:)", "observers") { source, _ in
            let driver = driver(source)
            return .create { driver.drive($0) }
        },
        row("Driver.drive(_:)", "function") { source, _ in driver(source).drive { $0 } },
        row("Driver.drive(_:curriedArgument:)") { source, _ in
            driver(source).drive({ source in { source.startWith($0).skip(1) } }, curriedArgument: 0)
        },
        row("Driver.drive(onNext:onCompleted:onDisposed:)") { source, probe in
            let driver = driver(source)
            return .create { observer in
                driver.drive(
                    onNext: {
                        probe.note("onNext")
                        observer.onNext($0)
                    }, onCompleted: { observer.onCompleted() }, onDisposed: { probe.note("onDisposed") })
            }
        },
        row("Driver.drive(with:onNext:onCompleted:onDisposed:)") { source, _ in
            let driver = driver(source)
            return .create { observer in
                driver.drive(
                    with: Companion.shared, onNext: { observer.onNext($1) },
                    onCompleted: { _ in observer.onCompleted() })
            }
        },
        row("Driver.drive()", completes: false) { source, probe in
            let driver = driver(source).do(onNext: { _ in probe.note("onNext") })
            return .create { _ in driver.drive() }
        },
    ]

    static let signalRows: [Row] = [
        row("Signal.asSignal(onErrorJustReturn:)") { source, _ in
            source.asSignal(onErrorJustReturn: 0).filter { $0 != 0 }.asObservable()
        },
        row("Signal.asSignal(onErrorSignalWith:)") { source, _ in signal(source).asObservable() },
        row("Signal.asSignal(onErrorRecover:)") { source, probe in
            let other = Signal<Int>.empty()
            return source.asSignal { _ in
                probe.note("onErrorRecover")
                return other
            }.asObservable()
        },
        row("Signal.asSignal()", "signal") { source, _ in signal(source).asSignal().asObservable() },
        row("Signal.asSignal()", "relay") { source, _ in
            let relay = PublishRelay<Int>()
            let relayed = relay.asSignal()
            return .create { observer in
                let subscription = relayed.emit(to: observer)
                return Disposables.create(
                    source.subscribe(
                        onNext: { relay.accept($0) }, onError: { _ in observer.onCompleted() },
                        onCompleted: { observer.onCompleted() }), subscription)
            }
        },
        row("Signal.share(_:)") { source, _ in SignalSharingStrategy.share(source) },
        row("Signal.emit(to:)") { source, _ in
            let signal = signal(source)
            return .create { signal.emit(to: $0) }
        },
        row("Signal.emit(onNext:onCompleted:onDisposed:)") { source, probe in
            let signal = signal(source)
            return .create { observer in
                signal.emit(
                    onNext: {
                        probe.note("onNext")
                        observer.onNext($0)
                    }, onCompleted: { observer.onCompleted() }, onDisposed: { probe.note("onDisposed") })
            }
        },
        row("Signal.emit(with:onNext:onCompleted:onDisposed:)") { source, _ in
            let signal = signal(source)
            return .create { observer in
                signal.emit(
                    with: Companion.shared, onNext: { observer.onNext($1) },
                    onCompleted: { _ in observer.onCompleted() })
            }
        },
        row("Signal.emit()", completes: false) { source, probe in
            let signal = signal(source).do(onNext: { _ in probe.note("onNext") })
            return .create { _ in signal.emit() }
        },
    ]

    /// - Parameter build: runs with drivers and signals on the thread that emits.
    private static func row(
        _ name: String, _ variant: String = "", completes: Bool = true,
        build: @escaping @Sendable (Observable<Int>, Probe) -> Observable<Int>
    ) -> Row {
        Row(
            name, variant, keeps: completes ? .everything : .nothing, completes: completes, passesErrors: false,
            chains: false
        ) { source, probe in inlined { build(source, probe) } }
    }

    private static func driver(_ source: Observable<Int>) -> Driver<Int> {
        source.asDriver(onErrorDriveWith: .empty())
    }

    private static func signal(_ source: Observable<Int>) -> Signal<Int> {
        source.asSignal(onErrorSignalWith: .empty())
    }
}
