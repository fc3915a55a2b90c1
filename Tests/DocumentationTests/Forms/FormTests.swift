// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import TestSupport
import Testing

extension Documentation {
    @Suite struct FormTests {
        @Test("A label shows the sum of three text fields") func addedNumbers() async {
            let printed = await printedOnMainQueue { console, disposeBag in
                let (number1, number2, number3) = (TextField("1"), TextField("2"), TextField("3"))
                let result = Label()

                Observable.combineLatest(number1.rx.text.orEmpty, number2.rx.text.orEmpty, number3.rx.text.orEmpty) {
                    text1, text2, text3 -> Int in
                    (Int(text1) ?? 0) + (Int(text2) ?? 0) + (Int(text3) ?? 0)
                }
                .map { $0.description }
                .bind(to: result.rx.text)
                .disposed(by: disposeBag)

                console.print(result.text)
                number1.type("10")
                console.print(result.text)
                number2.type("not a number")
                console.print(result.text)
            }
            #expect(printed == ["6", "15", "13"])
        }

        @Test("A simple validation enables the button") func validation() async {
            let printed = await printedOnMainQueue { console, disposeBag in
                let username = TextField()
                let usernameHint = Label()
                let password = TextField()
                let passwordHint = Label()
                let doSomething = Button()
                func show() {
                    console.print(
                        usernameHint.isHidden, password.isEnabled, passwordHint.isHidden, doSomething.isEnabled)
                }

                let usernameValid = username.rx.text.orEmpty
                    .map { $0.count >= 5 }
                    .share(replay: 1)
                let passwordValid = password.rx.text.orEmpty
                    .map { $0.count >= 5 }
                    .share(replay: 1)
                let everythingValid = Observable.combineLatest(usernameValid, passwordValid) { $0 && $1 }
                    .share(replay: 1)

                usernameValid.bind(to: password.rx.isEnabled).disposed(by: disposeBag)
                usernameValid.bind(to: usernameHint.rx.isHidden).disposed(by: disposeBag)
                passwordValid.bind(to: passwordHint.rx.isHidden).disposed(by: disposeBag)
                everythingValid.bind(to: doSomething.rx.isEnabled).disposed(by: disposeBag)
                doSomething.rx.tap
                    .subscribe(onNext: { console.print("This is wonderful") })
                    .disposed(by: disposeBag)

                show()
                doSomething.press()
                username.type("susan")
                show()
                password.type("12345")
                show()
                doSomething.press()
                username.type("sue")
                show()
                doSomething.press()
            }
            #expect(
                printed == [
                    "false false false false", "true true false false", "true true true true", "This is wonderful",
                    "false false true false",
                ])
        }

        /// With `share(replay: 1)`, three subscriptions make one validation per text; without it three.
        @Test("A shared validation runs once per text", arguments: [true, false])
        func sharedValidation(isShared: Bool) async {
            let printed = await printedOnMainQueue { console, disposeBag in
                let username = TextField()
                let validation = username.rx.text.orEmpty.map { text -> Bool in
                    console.print("validating \(text)")
                    return text.count >= 5
                }
                let usernameValid = isShared ? validation.share(replay: 1) : validation
                for _ in 0..<3 { usernameValid.subscribe().disposed(by: disposeBag) }
                username.type("susan")
            }
            let each = isShared ? 1 : 3
            #expect(
                printed
                    == Array(repeating: "validating ", count: each) + Array(repeating: "validating susan", count: each))
        }

        @Test("A text and a relay are bound both ways") func twoWayBinding() async {
            let printed = await printedOnMainQueue { console, disposeBag in
                let field = TextField()
                let name = BehaviorRelay<String?>(value: "Ann")
                name.bind(to: field.rx.text).disposed(by: disposeBag)
                field.rx.text.bind(to: name).disposed(by: disposeBag)
                console.print(field.text ?? "-", name.value ?? "-")
                field.type("Bob")
                console.print(field.text ?? "-", name.value ?? "-")
                name.accept("Carl")
                console.print(field.text ?? "-", name.value ?? "-")
            }
            #expect(printed == ["Ann Ann", "Bob Bob", "Carl Carl"])
        }

        @Test("A driver drives two labels") func drivenLabels() async {
            /// Two labels are driven by a text.
            final class Page: @unchecked Sendable {
                let field = TextField()
                let (name, nameSize) = (Label(), Label())
                private let disposeBag = DisposeBag()

                func start(_ console: Console) {
                    let state: Driver<String> = field.rx.text.orEmpty.asDriver()
                    state.drive(Binder(name) { _, text in console.print("name \(text)") }).disposed(by: disposeBag)
                    state.map(\.count)
                        .drive(Binder(nameSize) { _, size in console.print("size \(size)") })
                        .disposed(by: disposeBag)
                }
            }
            let console = Console()
            let page = Page()
            await onMainQueue {
                page.start(console)
                page.field.type("susan")
            }
            #expect(await eventually { console.lines.count == 4 })
            #expect(console.lines == ["name ", "size 0", "name susan", "size 5"])
        }

        private static func stateAndEvents(_ console: Console, _ disposeBag: DisposeBag) {
            let field = TextField()
            let button = Button()
            button.isEnabled = true
            let (name, nameSize) = (Label(), Label())

            let state: Driver<String> = field.rx.text.orEmpty.asDriver()
            state.drive(onNext: { name.text = $0 }).disposed(by: disposeBag)
            field.type("susan")
            state.map { $0.count.description }.drive(onNext: { nameSize.text = $0 }).disposed(by: disposeBag)
            console.print(name.text, nameSize.text)

            let asState: Driver<Void> = button.rx.tap.asDriver()
            let asEvents: Signal<Void> = button.rx.tap.asSignal()
            asState.drive(onNext: { console.print("driver, alert 1") }).disposed(by: disposeBag)
            asEvents.emit(onNext: { console.print("signal, alert 1") }).disposed(by: disposeBag)
            button.press()
            asState.drive(onNext: { console.print("driver, alert 2") }).disposed(by: disposeBag)
            asEvents.emit(onNext: { console.print("signal, alert 2") }).disposed(by: disposeBag)
        }

        /// A driver repeats its last element to a late subscriber, which suits state. A signal does not, which suits events.
        @Test("A driver represents state, and a signal represents events") func stateOrEvents() async {
            #expect(
                await printedOnMainQueue(Self.stateAndEvents)
                    == ["susan 5", "driver, alert 1", "signal, alert 1", "driver, alert 2"])
        }
    }
}
