// SPDX-License-Identifier: Apache-2.0

public import RxSwift

/// The accounts, in another place.
public protocol AccountService: Sendable {
    func isAvailable(_ name: String) -> Single<Bool>
    func signUp(_ name: String, password: String) -> Completable
}

/// The reason for which the service did not answer.
public struct ServiceError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
