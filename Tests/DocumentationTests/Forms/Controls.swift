// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift

/// A text field as of a UI library without Rx.
final class TextField: ReactiveCompatible {
    var text: String?
    var isEnabled = true
    fileprivate let edits = PublishSubject<Void>()

    init(_ text: String? = "") { self.text = text }

    /// Changes the text as a user does.
    func type(_ text: String) {
        self.text = text
        edits.onNext(())
    }
}

extension Reactive where Base: TextField {
    /// The text: first the present one, and then each text that the user types.
    var text: ControlProperty<String?> {
        let base = base
        return ControlProperty(
            values: Observable.deferred { base.edits.startWith(()).map { base.text } },
            valueSink: Binder(base) { field, text in field.text = text })
    }
}

final class Label: ReactiveCompatible {
    var text = ""
    var isHidden = false
}

final class Button: ReactiveCompatible {
    var isEnabled = false
    fileprivate let presses = PublishSubject<Void>()

    /// Presses the button as a user does. A disabled button ignores the press.
    func press() {
        if isEnabled { presses.onNext(()) }
    }
}

extension Reactive where Base: Button {
    var tap: ControlEvent<Void> { ControlEvent(events: base.presses) }
}
