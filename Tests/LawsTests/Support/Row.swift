// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

extension Laws {
    /// The promise of an operator about the elements of its sources (law L4).
    enum Keeps: Sendable {
        /// Every element of every source once, in order of acceptance.
        case everything
        /// Every element of the source under test once, in order; the others only set the pace.
        case tested
        /// Elements of the source under test in order, perhaps several times or not at all.
        case repeating
        /// Some elements of the sources, each at most once, in the order of its source.
        case some
        /// Something else than elements of the sources.
        case nothing
    }

    /// The threads of a scheduler that a row names.
    enum SchedulerThreads: Sendable {
        case serial, concurrent, operations
        /// Threads with a name of their own, at most 15 bytes long.
        case named(String)
        /// Threads of dispatch queues with that label.
        case queue(String)
        /// Threads that run tasks.
        case tasks

        /// True if the calling thread is one of them.
        var isCurrent: Bool {
            switch self {
            case .serial: DispatchQueue.getSpecific(key: Laws.queueKey) == "serial"
            case .concurrent: DispatchQueue.getSpecific(key: Laws.queueKey) == "concurrent"
            case .operations: OperationQueue.current === Laws.operations
            case .named(let name): Laws.currentThreadName == name
            case .queue(let label): Laws.currentQueueLabel == label
            case .tasks: withUnsafeCurrentTask { $0 != nil }
            }
        }
    }

    /// An operator in the table.
    struct Row: Sendable {
        /// The function as it is declared: `take(while:behavior:)`.
        let name: String
        /// Tells rows of one operator apart.
        let variant: String
        /// The number of sources of the operator.
        let sources: Int
        let keeps: Keeps
        /// True if events reach the observer on another thread than the one that sent them.
        let isAsynchronous: Bool
        /// The schedulers on whose threads the operator may call back.
        let schedulers: [SchedulerThreads]
        /// True if the sequence completes when all sources have completed.
        let completes: Bool
        /// True if an error of any source ends the sequence with that error.
        let passesErrors: Bool
        /// True if 20,000 of it make a sensible chain.
        let chains: Bool
        /// The number of the 20,000 operators of a chain that the row counts for: at most as many as it consists of.
        let weight: Int
        /// The same of a chain through which an error goes.
        let errorWeight: Int
        /// The closures that run too late for their errors to reach anyone.
        let lateSites: Set<String>
        /// Makes the operator's observable of its sources, the position of the source under test and the closures' probe.
        let build: @Sendable (_ sources: [Observable<Int>], _ tested: Int, _ probe: Probe) -> Observable<Int>

        init(
            _ name: String, _ variant: String = "", sources: Int, keeps: Keeps = .some, isAsynchronous: Bool = false,
            schedulers: [SchedulerThreads] = [.serial], completes: Bool = true, passesErrors: Bool = true,
            lateSites: Set<String> = [],
            build: @escaping @Sendable ([Observable<Int>], Int, Probe) -> Observable<Int>
        ) {
            self.name = name
            self.variant = variant
            self.sources = sources
            self.keeps = keeps
            self.isAsynchronous = isAsynchronous
            self.schedulers = isAsynchronous ? schedulers : []
            self.completes = completes
            self.passesErrors = passesErrors
            self.chains = false
            self.weight = 1
            self.errorWeight = 1
            self.lateSites = lateSites
            self.build = build
        }

        init(
            _ name: String, _ variant: String = "", keeps: Keeps = .some, isAsynchronous: Bool = false,
            schedulers: [SchedulerThreads] = [.serial], completes: Bool = true, passesErrors: Bool = true,
            chains: Bool = true, weight: Int = 1, errorWeight: Int = 1, lateSites: Set<String> = [],
            build: @escaping @Sendable (Observable<Int>, Probe) -> Observable<Int>
        ) {
            self.name = name
            self.variant = variant
            self.sources = 1
            self.keeps = keeps
            self.isAsynchronous = isAsynchronous
            self.schedulers = isAsynchronous ? schedulers : []
            self.completes = completes
            self.passesErrors = passesErrors
            self.chains = chains
            self.weight = weight
            self.errorWeight = max(weight, errorWeight)
            self.lateSites = lateSites
            self.build = { sources, _, probe in build(sources[0], probe) }
        }
    }

    /// A row with one of its sources under test.
    struct Case: Sendable, CustomTestStringConvertible, CustomStringConvertible {
        let row: Row
        let position: Int

        var description: String {
            row.name + (row.variant.isEmpty ? "" : " [\(row.variant)]")
                + (row.sources == 1 ? "" : " source \(position + 1) of \(row.sources)")
        }

        var testDescription: String { description }
    }
}
