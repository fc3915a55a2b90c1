// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

#if os(Linux)
    import Glibc
    import RxIOUring

    extension Laws {
        /// An event loop on each backend is a scheduler like the others.
        static let eventLoopRows: [Row] =
            lineRows
            + IOUringScheduler.Backend.built.flatMap { backend in
                [
                    Row(
                        "observe(on:)", "\(backend)", keeps: .everything, isAsynchronous: true,
                        schedulers: [loopThreads], chains: false
                    ) { source, _ in source.observe(on: loop(backend)) },
                    Row(
                        "subscribe(on:)", "\(backend)", isAsynchronous: true, schedulers: [loopThreads],
                        completes: false, chains: false
                    ) { source, _ in source.subscribe(on: loop(backend)) },
                ]
            }

        /// Functions that read a descriptor, as the inner sequence of `concatMap`, and functions that write a sequence, with a
        /// reader behind them. They are no operators.
        static let streamRows: [Row] = IOUringScheduler.Backend.built.flatMap { backend in
            [
                Row(
                    "DescriptorStream.read", "\(backend)", keeps: .everything, isAsynchronous: true,
                    schedulers: [loopThreads], chains: false
                ) { source, probe in
                    source.concatMap { element in
                        try probe.visit("selector")
                        return lines { readEnd, writeEnd in
                            let text = Array("\(element)\n".utf8)
                            write(writeEnd, text, text.count)
                            close(writeEnd)
                            return DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: loop(backend))
                        }
                    }
                },
                Row(
                    "DescriptorStream.write", "\(backend)", isAsynchronous: true, schedulers: [loopThreads],
                    chains: false
                ) { source, _ in
                    lines { readEnd, writeEnd in
                        let written = DescriptorStream.write(
                            source.map { ByteChunk("\($0)\n") }, to: writeEnd, closesWhenDone: true,
                            scheduler: loop(backend))
                        return .merge(
                            DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: loop(backend)),
                            written.asObservable().map { _ -> ByteChunk in })
                    }
                },
            ]
        }

        private static let lineRows: [Row] = [
            Row("lines(maximumLength:)", keeps: .everything, weight: 3) { source, _ in
                source.map { ByteChunk("\($0)\n") }.lines().map { Int($0)! }
            },
            // The second line of each chunk continues in the next one, and the last one ends with the sequence.
            Row("lines(maximumLength:)", "cut", chains: false) { source, _ in
                source.map { ByteChunk("\($0)\n\($0)") }.lines().map { Int($0.prefix(6))! }.distinctUntilChanged()
            },
            Row("frames(delimiter:maximumLength:)", keeps: .everything, weight: 3) { source, _ in
                source.map { ByteChunk("\($0)\r\n") }.frames(delimiter: [13, 10]).map { Int(String($0))! }
            },
            // The delimiter of each frame begins in its chunk, and ends in the next one.
            Row("frames(delimiter:maximumLength:)", "cut", chains: false) { source, _ in
                source.map { ByteChunk("\n\($0)\r") }.frames(delimiter: [13, 10]).compactMap {
                    Int(String($0).filter(\.isNumber))
                }
            },
            Row("frames(_:maximumLength:)", keeps: .everything, weight: 3) { source, _ in
                source.map { try LengthPrefix(size: 2).frame(ByteChunk("\($0)")) }.frames(LengthPrefix(size: 2))
                    .map { Int(String($0))! }
            },
        ]

        /// The numbers in what is read from a pipe, which is made for each subscription.
        private static func lines(_ read: @escaping (CInt, CInt) -> Observable<ByteChunk>) -> Observable<Int> {
            .deferred {
                let (readEnd, writeEnd) = try DescriptorStream.makePipe()
                return read(readEnd, writeEnd).lines().map { Int($0)! }
            }
        }

        private static func loop(_ backend: IOUringScheduler.Backend) -> IOUringScheduler {
            switch backend {
            case .uring: ring
            case .epoll: epoll
            }
        }

        private static let loopThreads = SchedulerThreads.named("rx.laws")

        private static let ring = IOUringScheduler(name: "rx.laws", backend: .uring)
        private static let epoll = IOUringScheduler(name: "rx.laws", backend: .epoll)
    }
#else
    extension Laws {
        static let eventLoopRows: [Row] = []
        static let streamRows: [Row] = []
    }
#endif
