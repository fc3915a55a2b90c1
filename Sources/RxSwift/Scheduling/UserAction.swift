// SPDX-License-Identifier: Apache-2.0

public import RxPrimitives

/// A user's action with its state, of any type: one word each for the state, the code and the context that the code holds.
///
/// The action and its state need no allocation if the state is an object, or plain (in no need of a release) and of a word at
/// most: nothing, a number, an enumeration. With any other state the action is wrapped in one more closure.
///
/// Holds references that Swift does not count: a `UserAction` is to be moved into one `HeldAction`, which releases them.
@frozen
@usableFromInline
package struct UserAction: ~Copyable {
    /// The kind of an action, which tells what the words mean.
    @frozen
    @usableFromInline
    enum Kind {
        /// A `StatelessBody`, which has no state.
        case withoutState
        /// A `Body`, and the bytes of its state.
        case withPlainState
        /// A `Body`, and the address of its state, retained.
        case withObject
    }

    /// An action as it is compiled for a state of any type.
    ///
    /// Swift compiles a closure for a parameter of a generic type to take that parameter by its address, for all types. Inside of a
    /// generic structure the closure keeps this form, which is therefore the same for all types.
    @frozen
    @usableFromInline
    struct Body<State> {
        @usableFromInline let call: (State) -> any Disposable

        @inlinable
        init(_ call: @escaping (State) -> any Disposable) { self.call = call }
    }

    /// An action that takes nothing.
    @frozen
    @usableFromInline
    struct StatelessBody {
        @usableFromInline let call: (()) -> any Disposable

        @inlinable
        init(_ call: @escaping (()) -> any Disposable) { self.call = call }
    }

    @usableFromInline let kind: Kind
    @usableFromInline let state: UInt
    @usableFromInline let code: (UInt, UInt)

    @inlinable
    init(_ kind: Kind, state: UInt, code: (UInt, UInt)) {
        self.kind = kind
        self.state = state
        self.code = code
    }

    @inlinable @inline(__always)
    package init(_ action: @escaping (()) -> any Disposable) {
        self.init(.withoutState, state: 0, code: RuntimeLayout.words(StatelessBody(action)))
    }

    @inlinable @inline(__always)
    package init<State>(_ state: State, _ action: @escaping (State) -> any Disposable) {
        if _isPOD(State.self), MemoryLayout<State>.size <= MemoryLayout<UInt>.size, RuntimeLayout.holds(.closures) {
            var word: UInt = 0
            withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: state, as: State.self) }
            self.init(.withPlainState, state: word, code: RuntimeLayout.words(Body(action)))
        } else if RuntimeLayout.isClass(State.self), RuntimeLayout.holds(.closures),
            RuntimeLayout.holds(.metadata)
        {
            let object = Unmanaged.passRetained(unsafeBitCast(state, to: AnyObject.self))
            self.init(.withObject, state: UInt(bitPattern: object.toOpaque()), code: RuntimeLayout.words(Body(action)))
        } else {
            self.init { action(state) }
        }
    }
}
