import RxPrimitives
import Testing

/// Each assumption about the runtime, so that a toolchain for which one does not hold is found here, not by its cost.
@Suite struct RuntimeLayoutTests {
    @Test(arguments: [RuntimeLayout.referenceCounts, .existentials, .metadata, .closures])
    func theAssumptionHoldsWithThisToolchain(_ assumption: RuntimeLayout) {
        #expect(RuntimeLayout.holds(assumption))
    }

    @Test(arguments: [RuntimeLayout.referenceCounts, .existentials, .metadata, .closures])
    func noAssumptionHoldsWhereProbesFail(_ assumption: RuntimeLayout) {
        #expect(!RuntimeLayout.withoutAssumptions { RuntimeLayout.holds(assumption) })
        #expect(RuntimeLayout.holds(assumption))
    }

    private class Object {}

    @Test func anObjectIsHeldOnceByItsOnlyOwner() {
        let object = Unmanaged.passRetained(Object())
        #expect(RuntimeLayout.isHeldOnce(object.toOpaque()))
        _ = object.retain()
        #expect(!RuntimeLayout.isHeldOnce(object.toOpaque()))
        object.release()
        #expect(RuntimeLayout.isHeldOnce(object.toOpaque()))
        object.release()
    }

    private struct Structure {}

    @Test func classesAreToldFromOtherTypes() {
        #expect(RuntimeLayout.isClass(Object.self))
        #expect(!RuntimeLayout.isClass(Structure.self))
        #expect(!RuntimeLayout.isClass(Int?.self))
        #expect(!RuntimeLayout.isClass([Int].self))
    }
}
