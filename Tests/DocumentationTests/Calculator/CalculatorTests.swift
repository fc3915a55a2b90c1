// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import Testing

extension Documentation {
    /// A calculator whose state `scan` computes from the keys.
    @Suite struct CalculatorTests {
        /// Returns the texts on the screen after each change.
        private func screens(_ keys: String) -> [String] {
            let console = Console()
            let disposeBag = DisposeBag()
            let (digits, others) = (PublishRelay<CalculatorCommand>(), PublishRelay<CalculatorCommand>())
            Observable.merge(digits.asObservable(), others.asObservable())
                .scan(CalculatorState.initial, accumulator: CalculatorState.reduce)
                .startWith(.initial)
                .map(\.screen)
                .distinctUntilChanged()
                .subscribe(onNext: { console.print($0) })
                .disposed(by: disposeBag)
            for command in keys.compactMap(CalculatorCommand.init(key:)) {
                if case .digit = command { digits.accept(command) } else { others.accept(command) }
            }
            return withExtendedLifetime(disposeBag) { console.lines }
        }

        @Test(
            "Keys lead to the documented screens",
            arguments: [
                ("12", ["0", "1", "12"]),
                ("007", ["0", "7"]),
                ("1.5.2", ["0", "1", "1.", "1.5", "1.52"]),
                (".5", ["0", "0.", "0.5"]),
                ("1+2=", ["0", "1", "2", "3"]),
                ("8/2=", ["0", "8", "2", "4"]),
                ("1/4=", ["0", "1", "4", "0.25"]),
                ("9/0=", ["0", "9", "0"]),
                ("2+3*4=", ["0", "2", "3", "5", "4", "20"]),
                ("7-+1=", ["0", "7", "1", "8"]),
                ("5~", ["0", "5", "-5"]),
                ("5~+8=", ["0", "5", "-5", "8", "3"]),
                ("50%", ["0", "5", "50", "0.5"]),
                ("200*10%=", ["0", "2", "20", "200", "1", "10", "0.1", "20"]),
                ("12C3", ["0", "1", "12", "0", "3"]),
                ("1+2=5", ["0", "1", "2", "3", "5"]),
                ("=", ["0"]),
            ])
        func screens(keys: String, expected: [String]) {
            #expect(screens(keys) == expected)
        }

        @Test("The operator is shown while it is pending") func pendingOperator() {
            let console = Console()
            let keys = PublishSubject<Character>()
            let state =
                keys
                .compactMap(CalculatorCommand.init(key:))
                .scan(CalculatorState.initial, accumulator: CalculatorState.reduce)
                .startWith(.initial)
                .share(replay: 1)
            let disposeBag = DisposeBag()
            state.map(\.screen).distinctUntilChanged()
                .subscribe(onNext: { console.print("screen \($0)") })
                .disposed(by: disposeBag)
            state.map(\.sign).distinctUntilChanged()
                .subscribe(onNext: { console.print("sign \($0)") })
                .disposed(by: disposeBag)
            for key in "6*7=" { keys.onNext(key) }
            #expect(
                console.lines == ["screen 0", "sign ", "screen 6", "sign *", "screen 7", "screen 42", "sign "])
        }
    }
}
