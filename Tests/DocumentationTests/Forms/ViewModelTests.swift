// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

/// Counts up, and can't go below zero.
@MainActor
private final class CounterViewModel {
    // These two relays are the inputs.
    let increment = PublishRelay<Void>()
    let decrement = PublishRelay<Void>()

    // These drivers and this signal are the outputs.
    let title: Driver<String>
    let canDecrement: Driver<Bool>
    let alerts: Signal<String>

    private let count = BehaviorRelay(value: 0)
    private let alert = PublishRelay<String>()
    private let disposeBag = DisposeBag()

    var current: Int { count.value }

    init() {
        title = count.asDriver().map { "Count: \($0)" }
        canDecrement = count.asDriver().map { $0 > 0 }.distinctUntilChanged()
        alerts = alert.asSignal()
        Observable.merge(increment.map { 1 }, decrement.map { -1 })
            .withLatestFrom(count) { change, count in count + change }
            // The relays accept on the main actor only, which the compiler cannot know of closures that may run anywhere.
            .subscribe(onNext: { [weak self] new in MainActor.assumeIsolated { self?.update(new) } })
            .disposed(by: disposeBag)
    }

    private func update(_ new: Int) {
        if new < 0 { alert.accept("There is nothing below zero") } else { count.accept(new) }
    }
}

extension Documentation {
    @MainActor @Suite struct ViewModelTests {
        @Test("A view model works on the main actor") func mainActor() async {
            let console = Console()
            let disposeBag = DisposeBag()
            let viewModel = CounterViewModel()
            viewModel.title.drive(onNext: { console.print($0) }).disposed(by: disposeBag)
            viewModel.canDecrement.drive(onNext: { console.print("can decrement: \($0)") }).disposed(by: disposeBag)
            viewModel.alerts.emit(onNext: { console.print("alert: \($0)") }).disposed(by: disposeBag)
            viewModel.increment.accept(())
            viewModel.decrement.accept(())
            viewModel.decrement.accept(())
            #expect(await eventually { console.lines.count == 7 })
            #expect(viewModel.current == 0)
            #expect(
                console.lines == [
                    "Count: 0", "can decrement: false", "Count: 1", "can decrement: true", "Count: 0",
                    "can decrement: false", "alert: There is nothing below zero",
                ])
            withExtendedLifetime(disposeBag) {}
        }

        @Test("A view model is released with its screen") func releasedViewModel() async {
            var viewModel: CounterViewModel? = CounterViewModel()
            weak let released = viewModel
            let console = Console()
            let subscription = viewModel!.title.drive(
                onNext: { console.print($0) }, onCompleted: { console.print("completed") })
            viewModel!.increment.accept(())
            #expect(await eventually { console.lines == ["Count: 0", "Count: 1"] })
            viewModel = nil
            subscription.dispose()
            #expect(released == nil)
        }
    }
}
