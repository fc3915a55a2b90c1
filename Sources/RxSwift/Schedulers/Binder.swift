// SPDX-License-Identifier: Apache-2.0

/// An observer that writes elements to an object, which it does not keep alive, on a scheduler.
///
/// Once the object is gone, elements are ignored. A binding can't take errors: in debug builds an error stops the program, in
/// release builds it goes to `Hooks.defaultErrorHandler`. Completion is ignored.
public struct Binder<Value>: ObserverType, @unchecked Sendable {
    public typealias Element = Value

    private let bind: (Value) -> Void

    /// Makes an observer that writes on the main queue.
    ///
    /// - Parameters:
    ///   - target: the object that elements are written to.
    ///   - binding: writes one element to the target, on the main actor.
    @preconcurrency
    public init<Target: AnyObject>(_ target: Target, binding: @escaping @MainActor (Target, Value) -> Void) {
        self.init(target, scheduler: MainScheduler(), binding: withoutIsolation(binding))
    }

    /// Makes an observer that writes on a scheduler.
    ///
    /// - Parameters:
    ///   - target: the object that elements are written to.
    ///   - scheduler: the scheduler on which `binding` runs; the main queue unless told otherwise.
    ///   - binding: writes one element to the target.
    @preconcurrency
    public init<Target: AnyObject>(
        _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        let reference = WeakReference(target)
        bind = { element in
            _ = scheduler.schedule(element) { element in
                if let target = reference.target { binding(target, element) }
                return Disposables.create()
            }
        }
    }

    /// Schedules an element to be written to the target.
    public func on(_ event: Event<Value>) {
        switch event {
        case .next(let element): bind(element)
        case .error(let error): reject(error, at: "Binder")
        case .completed: break
        }
    }

    /// Returns this observer behind the type `AnyObserver`.
    public func asObserver() -> AnyObserver<Value> {
        AnyObserver(eventHandler: on)
    }
}

extension Reactive where Base: AnyObject {
    /// A writable property of the object as an observer, which writes on the main queue.
    public subscript<Property>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
    ) -> Binder<Property> {
        Binder(base) { base, value in base[keyPath: keyPath] = value }
    }
}

private final class WeakReference<Target: AnyObject>: @unchecked Sendable {
    private(set) weak var target: Target?

    init(_ target: Target) {
        self.target = target
    }
}
