// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxPrimitives

// Tests of the explorer itself: programs of a few loads and stores whose results the memory model of C++ tells ("litmus tests"). Each has to show all
// the results that the model allows, but for those that would need a load to see a store of its future, and no other.

/// The words and the results of one execution.
private final class Litmus {
    let x = AtomicWord(0)
    let y = AtomicWord(0)
    let results = UnsafeMutablePointer<UInt>.allocate(capacity: 4)

    init() { results.initialize(repeating: 0, count: 4) }

    deinit { results.deallocate() }

    func note(_ index: Int, _ value: UInt) {
        rx_explorer_add(UnsafeMutableRawPointer(results + index).assumingMemoryBound(to: Int.self), Int(value))
    }
}

/// A program, and what it may result in.
struct SelfTest {
    let name: String
    let expected: Set<[UInt]>
    fileprivate let resultCount: Int
    fileprivate let threads: (Litmus) -> [() -> Void]

    /// Runs the program under all schedules; returns what it resulted in.
    func results(reduces: Bool) -> Set<[UInt]> {
        var seen: Set<[UInt]> = []
        let scenario = Scenario(name, "", preemptions: 100, staleLoads: 100) {
            let litmus = Litmus()
            return Run(threads: threads(litmus)) {
                seen.insert((0..<resultCount).map { litmus.results[$0] })
            }
        }
        var search = Search()
        search.reduces = reduces
        search.maxSeconds = 60
        let result = scenario.explore(search)
        if Int(result.outcome) != RX_COMPLETE { return [] }
        return seen
    }

    /// Returns whether all programs give what they should.
    static func run() -> Bool {
        var isFine = true
        for test in all {
            for reduces in [true, false] {
                let results = test.results(reduces: reduces)
                if results == test.expected { continue }
                isFine = false
                let missing = test.expected.subtracting(results).map(\.description).sorted()
                let wrong = results.subtracting(test.expected).map(\.description).sorted()
                print("FAILED  \(test.name)\(reduces ? "" : " without reduction"): missing \(missing), wrong \(wrong)")
            }
        }
        if isFine { print("\(all.count) litmus tests give what the memory model allows, with and without reduction") }
        return isFine
    }

    private init(_ name: String, _ count: Int, expected: Set<[UInt]>, threads: @escaping (Litmus) -> [() -> Void]) {
        self.name = name
        self.expected = expected
        resultCount = count
        self.threads = threads
    }

    /// All combinations of 0 and 1 but for some.
    private static func pairs(without excluded: [[UInt]] = []) -> Set<[UInt]> {
        Set([[0, 0], [0, 1], [1, 0], [1, 1]]).subtracting(excluded)
    }

    private static let all: [SelfTest] = [
        SelfTest("store buffering, releasing and acquiring", 2, expected: pairs()) { l in
            [
                {
                    l.x.storeReleasing(1)
                    l.note(0, l.y.loadAcquiring())
                },
                {
                    l.y.storeReleasing(1)
                    l.note(1, l.x.loadAcquiring())
                },
            ]
        },
        SelfTest("store buffering, sequentially consistent", 2, expected: pairs(without: [[0, 0]])) { l in
            [
                {
                    _ = l.x.exchangeSequentially(1)
                    l.note(0, l.y.loadSequentially())
                },
                {
                    _ = l.y.exchangeSequentially(1)
                    l.note(1, l.x.loadSequentially())
                },
            ]
        },
        SelfTest("store buffering, exchanges that only acquire and release", 2, expected: pairs()) { l in
            [
                {
                    _ = l.x.exchange(1)
                    l.note(0, l.y.loadAcquiring())
                },
                {
                    _ = l.y.exchange(1)
                    l.note(1, l.x.loadAcquiring())
                },
            ]
        },
        SelfTest("message passing, relaxed", 2, expected: pairs()) { l in
            [
                {
                    l.x.storeRelaxed(1)
                    l.y.storeRelaxed(1)
                },
                {
                    l.note(0, l.y.loadRelaxed())
                    l.note(1, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest("message passing, releasing and acquiring", 2, expected: pairs(without: [[1, 0]])) { l in
            [
                {
                    l.x.storeRelaxed(1)
                    l.y.storeReleasing(1)
                },
                {
                    l.note(0, l.y.loadAcquiring())
                    l.note(1, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest("message passing, releasing and relaxed", 2, expected: pairs()) { l in
            [
                {
                    l.x.storeRelaxed(1)
                    l.y.storeReleasing(1)
                },
                {
                    l.note(0, l.y.loadRelaxed())
                    l.note(1, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest(
            "message passing through another thread's relaxed read-modify-write", 2,
            expected: [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]]
        ) { l in
            [
                {
                    l.x.storeRelaxed(1)
                    l.y.storeReleasing(1)
                },
                { _ = l.y.fetchAddRelaxed(1) },
                {
                    l.note(0, l.y.loadAcquiring())
                    l.note(1, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest(
            "two loads of one word do not go back", 2, expected: [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
        ) { l in
            [
                {
                    l.x.storeRelaxed(1)
                    l.x.storeRelaxed(2)
                },
                {
                    l.note(0, l.x.loadRelaxed())
                    l.note(1, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest("read-modify-writes lose nothing", 1, expected: [[3]]) { l in
            [
                { _ = l.x.fetchAddRelaxed(1) }, { _ = l.x.fetchAddRelaxed(1) },
                {
                    _ = l.x.fetchAddRelaxed(1)
                    while l.x.loadRelaxed() < 3 { rx_model_yield() }
                    l.note(0, l.x.loadRelaxed())
                },
            ]
        },
        SelfTest("an increment in two steps loses one", 1, expected: [[1], [2]]) { l in
            [
                { l.x.storeRelaxed(l.x.loadRelaxed() + 1) },
                { l.x.storeRelaxed(l.x.loadRelaxed() + 1) },
            ].map { body in
                {
                    body()
                    _ = l.y.fetchAdd(1)
                }
            } + [
                {
                    while l.y.loadAcquiring() < 2 { rx_model_yield() }
                    l.note(0, l.x.loadRelaxed())
                }
            ]
        },
        SelfTest(
            "two readers agree on the order of sequentially consistent writes", 4,
            expected: Set((0..<16 as Range<UInt>).map { n in [n >> 3 & 1, n >> 2 & 1, n >> 1 & 1, n & 1] }).subtracting(
                [[1, 0, 1, 0]])
        ) { l in
            [
                { _ = l.x.exchangeSequentially(1) }, { _ = l.y.exchangeSequentially(1) },
                {
                    l.note(0, l.x.loadSequentially())
                    l.note(1, l.y.loadSequentially())
                },
                {
                    l.note(2, l.y.loadSequentially())
                    l.note(3, l.x.loadSequentially())
                },
            ]
        },
        SelfTest(
            "two readers may disagree on the order of releasing writes", 4,
            expected: Set((0..<16 as Range<UInt>).map { n in [n >> 3 & 1, n >> 2 & 1, n >> 1 & 1, n & 1] })
        ) { l in
            [
                { l.x.storeReleasing(1) }, { l.y.storeReleasing(1) },
                {
                    l.note(0, l.x.loadAcquiring())
                    l.note(1, l.y.loadAcquiring())
                },
                {
                    l.note(2, l.y.loadAcquiring())
                    l.note(3, l.x.loadAcquiring())
                },
            ]
        },
        SelfTest("a claim by compare-exchange goes to one", 2, expected: [[1, 0], [0, 1]]) { l in
            [
                { if l.x.compareExchange(0, 1) { l.note(0, 1) } },
                { if l.x.compareExchange(0, 2) { l.note(1, 1) } },
            ]
        },
    ]
}
