public import Foundation
public import RxSwift

/// Gives notification centers the extensions under `rx`.
extension NotificationCenter: ReactiveCompatible {}

extension Reactive where Base: NotificationCenter {
    /// The notifications that are posted while subscribed to. Never fails and never completes.
    ///
    /// Notifications posted on several threads at the same time are delivered one at a time. Keeps the center alive.
    /// - Parameters:
    ///   - name: of the notifications; nil for all names.
    ///   - object: who posts them; nil for all. Held weakly: when it is gone before a subscription, that one is not limited to it.
    /// - Returns: an observable which delivers on the thread that posts.
    public func notification(_ name: Notification.Name?, object: AnyObject? = nil) -> Observable<Notification> {
        nonisolated(unsafe) weak let object = object
        let center: NotificationCenter = base
        return .create { observer in
            nonisolated(unsafe) let token = center.addObserver(forName: name, object: object, queue: nil) {
                observer.on(.next($0))
            }
            return Disposables.create { center.removeObserver(token) }
        }
    }
}
