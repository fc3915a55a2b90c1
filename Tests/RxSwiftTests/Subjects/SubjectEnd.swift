// SPDX-License-Identifier: Apache-2.0

/// The ways in which a subject and one of its subscriptions part.
enum SubjectEnd: CaseIterable {
    case completion, disposalOfSubscription, disposalOfSubject, release
}
