// SPDX-License-Identifier: Apache-2.0

/// A connection that is told whether it is wanted.
protocol DemandingConnection: AnyObject, Disposable {
    /// Detaches the connection from its connectable sequence, which takes a new subject for its next subscribers. The caller then
    /// disposes of it.
    ///
    /// - Returns: an object that the caller releases, outside its locks.
    func detach() -> Any?

    func endDemand() -> ConnectionDemand.Change
    func resumeDemand() -> ConnectionDemand.Change
}
