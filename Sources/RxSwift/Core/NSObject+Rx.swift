// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Gives every subclass of `NSObject` the extensions under `rx`.
extension NSObject: ReactiveCompatible {}
