// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import TestSupport
import Testing

@Suite struct RxCocoaErrorTests {
    @Test(
        "The description names the objects of the error",
        arguments: [
            (RxCocoaError.unknown, ["Unknown"]), (.invalidOperation(object: 1), ["1"]),
            (.itemsNotYetBound(object: 2), ["2"]),
            (.invalidPropertyName(object: 3, propertyName: "p"), ["3", "p"]),
            (.invalidObjectOnKeyPath(object: 4, sourceObject: ReleaseToken(5), propertyName: "q"), ["4", "5", "q"]),
            (.errorDuringSwizzling, ["swizzled"]), (.castingError(object: 6, targetType: Int.self), ["6", "Int"]),
        ])
    func descriptions(_ error: RxCocoaError, _ parts: [String]) {
        for part in parts { #expect(error.debugDescription.contains(part)) }
    }
}
