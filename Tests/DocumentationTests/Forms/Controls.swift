import RxCocoa
import RxSwift

/// A text field as of a UI library that knows nothing of Rx.
final class TextField: ReactiveCompatible {
    var text: String?
    var isEnabled = true
    fileprivate let edits = PublishSubject<Void>()

    init(_ text: String? = "") { self.text = text }

    /// What a user does.
    func type(_ text: String) {
        self.text = text
        edits.onNext(())
    }
}

extension Reactive where Base: TextField {
    /// The text: what is in the field at first, and then what the user types.
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

    /// What a user does. Nothing happens if the button is not enabled.
    func press() {
        if isEnabled { presses.onNext(()) }
    }
}

extension Reactive where Base: Button {
    var tap: ControlEvent<Void> { ControlEvent(events: base.presses) }
}
