// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct BinderTests {
    final class Label: ReactiveCompatible {
        var text = ""
        let fixed = 1
    }

    final class Model: NSObject {
        var count = 0
    }

    @Test("A binder writes on its scheduler and ignores completion") func writes() {
        let label = Label()
        let binder = Binder(label, scheduler: CurrentThreadScheduler.instance) { label, text in label.text = text }
        binder.onNext("a")
        #expect(label.text == "a")
        binder.asObserver().onNext("b")
        binder.onCompleted()
        #expect(label.text == "b")
    }

    @Test("A binder does not retain its target") func weakTarget() {
        weak var released: Label?
        let binder: Binder<String>
        do {
            let label = Label()
            released = label
            binder = Binder(label, scheduler: CurrentThreadScheduler.instance) { label, text in label.text = text }
        }
        #expect(released == nil)
        binder.onNext("ignored")
    }

    @Test("The properties of rx are observers") @MainActor func propertyObservers() async {
        let label = Label()
        let model = Model()
        label.rx.text.onNext("main")
        model.rx.count.onNext(3)
        // On the main queue it is written at once; wherever else this test runs, soon.
        for _ in 0..<1_000 where label.text.isEmpty || model.count == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(label.text == "main" && model.count == 3)
        #expect(type(of: label.rx) == Label.rx)
    }

    #if DEBUG
        @Test("An error stops the program in debug builds") func errorStops() async {
            await #expect(processExitsWith: .failure) {
                let label = Label()
                Binder<String>(label, scheduler: CurrentThreadScheduler.instance) { label, text in label.text = text }
                    .onError(RxError.unknown)
            }
        }
    #endif
}
