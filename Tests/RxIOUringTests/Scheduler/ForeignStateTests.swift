// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import RxIOUring
import RxSwift
import TestSupport
import Testing

/// States that Swift takes for objects of its own, and which are not. For other states see RxSwiftTests' `ActionStateTests`.
@Suite struct ForeignStateTests {
    /// The fault: optimized code takes a C type that counts its own references for a Swift class, which counts them in a word
    /// of the object.
    @Test("A state that counts its own references is held by them", arguments: [false, true])
    func ownReferences(_ isTimer: Bool) {
        onLoop(.epoll) { scheduler in
            let seen = OneShot()
            let (isBusy, isLetGoOf) = (OneShot(), OneShot())
            scheduler.run {
                isBusy.fire()
                _ = isLetGoOf.wait()
            }
            #expect(isBusy.wait())
            let before = rx_test_foreign_count()
            schedule(rx_test_make_foreign(), isTimer, on: scheduler, seen)
            #expect(rx_test_foreign_count() == before + 1)
            isLetGoOf.fire()
            #expect(seen.wait())
            #expect(soon { rx_test_foreign_count() == before })
        }
    }

    @inline(never)
    private func schedule(
        _ object: RxTestForeign, _ isTimer: Bool, on scheduler: IOUringScheduler, _ seen: OneShot
    ) {
        nonisolated(unsafe) let object = object
        let action = { @Sendable (object: RxTestForeign) -> any Disposable in
            if object.words == (7, 7), object.references > 0 { seen.fire() }
            return Disposables.create()
        }
        if isTimer {
            _ = scheduler.scheduleRelative(object, dueTime: .milliseconds(1), action: action)
        } else {
            _ = scheduler.schedule(object, action: action)
        }
    }
}
