// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RxSwift

/// Gives notification centers the extensions under `rx`.
extension NotificationCenter: ReactiveCompatible {}

extension Reactive where Base: NotificationCenter {
    /// The notifications that are posted while subscribed to; never fails and never completes.
    ///
    /// Notifications posted on several threads at the same time are delivered one at a time. The sequence keeps the center alive.
    /// - Parameters:
    ///   - name: of the notifications; nil for all names.
    ///   - object: the poster of the notifications; nil for all. Held weakly: a subscription after it is gone is not limited to it.
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
