// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// Runs the steps of several operators in a row.
final class FusedSink<Element, Output>: LinearSink<Element, Output> {
    private let steps: FusedSteps

    init(_ steps: FusedSteps, downstream: Sink<Output>) {
        self.steps = steps
        super.init(downstream: downstream)
    }

    deinit {
        steps.deallocate()
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    override func next(_ element: Element) {
        withUnsafePointer(to: element) { run($0) }
    }

    private func run(_ element: UnsafeRawPointer) {
        var element = element
        var step = steps.first
        do {
            repeat {
                guard try step.pointee.run(element) == .passed, !isCancelled else { return }
                if step.pointee.makes { element = UnsafeRawPointer(step.pointee.slot) }
                step += 1
            } while step < steps.end
        } catch {
            return fail(error)
        }
        withBorrowed(element.assumingMemoryBound(to: Output.self)) { downstream.next($0) }
    }
}
