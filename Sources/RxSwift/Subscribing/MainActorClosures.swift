// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

// Closures of the main actor, called as if they belonged to no actor, without a check per event: `MainActor.assumeIsolated` costs some 150 ns.
// The caller sees to it that they run on the main queue.
//
// Isolation to a global actor exists for the type checker alone: layout and calling convention of a closure are the same with and without
// it. Inside a structure a closure is cast as it is; as a value of its own the compiler would wrap it in another one.

private struct IsolatedReceiver<Input> {
    let call: @MainActor (Input) -> Void
}

private struct Receiver<Input> {
    let call: @Sendable (Input) -> Void
}

private struct IsolatedBinding<Target, Input> {
    let call: @MainActor (Target, Input) -> Void
}

private struct Binding<Target, Input> {
    let call: @Sendable (Target, Input) -> Void
}

private struct IsolatedAction {
    let call: @MainActor () -> Void
}

private struct Action {
    let call: @Sendable () -> Void
}

/// The closure without its isolation.
package func withoutIsolation<Input>(_ closure: @escaping @MainActor (Input) -> Void) -> @Sendable (Input) -> Void {
    unsafeBitCast(IsolatedReceiver(call: closure), to: Receiver<Input>.self).call
}

/// The closure without its isolation.
package func withoutIsolation<Target, Input>(
    _ closure: @escaping @MainActor (Target, Input) -> Void
) -> @Sendable (Target, Input) -> Void {
    unsafeBitCast(IsolatedBinding(call: closure), to: Binding<Target, Input>.self).call
}

/// The closure without its isolation.
package func withoutIsolation(_ closure: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
    unsafeBitCast(IsolatedAction(call: closure), to: Action.self).call
}

/// A closure that runs `body` at once on the main queue; elsewhere, as when a subscription is disposed of there, later on the main queue.
package func onMainQueue(_ body: @escaping () -> Void) -> @Sendable () -> Void {
    nonisolated(unsafe) let body = body
    return { MainQueue.isCurrent ? body() : DispatchQueue.main.async { body() } }
}
