// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import Testing

/// The assumptions about the runtime: a toolchain that breaks one fails here, and not by a slower program.
@Suite struct RuntimeLayoutTests {
    @Test(
        "The assumption holds with this toolchain",
        arguments: [RuntimeLayout.referenceCounts, .existentials, .metadata, .closures])
    func assumption(_ assumption: RuntimeLayout) {
        #expect(RuntimeLayout.holds(assumption))
    }

    @Test(
        "No assumption holds where probes fail",
        arguments: [RuntimeLayout.referenceCounts, .existentials, .metadata, .closures])
    func failedProbe(_ assumption: RuntimeLayout) {
        #expect(!RuntimeLayout.withoutAssumptions { RuntimeLayout.holds(assumption) })
        #expect(RuntimeLayout.holds(assumption))
    }

    private class Object {}

    @Test("An object is held once by its only owner") func heldOnce() {
        let object = Unmanaged.passRetained(Object())
        #expect(RuntimeLayout.isHeldOnce(object.toOpaque()))
        _ = object.retain()
        #expect(!RuntimeLayout.isHeldOnce(object.toOpaque()))
        object.release()
        #expect(RuntimeLayout.isHeldOnce(object.toOpaque()))
        object.release()
    }

    private struct Structure {}

    @Test("Classes are told from other types") func classes() {
        #expect(RuntimeLayout.isClass(Object.self))
        #expect(!RuntimeLayout.isClass(Structure.self))
        #expect(!RuntimeLayout.isClass(Int?.self))
        #expect(!RuntimeLayout.isClass([Int].self))
    }
}
