// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import OpenCombine
import OpenCombineDispatch
import RxSwift

/// The effect of rates: four producers on one subject, and one hop, below, at and above their capacity.
extension LoadRow {
    static func all(extent: Extent) -> [LoadRow] {
        [
            LoadRow(
                area: .load, name: "PublishSubject.4producers.load", producers: 4, consumers: 0,
                ours: Side(name: "PublishSubject") { deliver in
                    let subject = PublishSubject<UInt64>()
                    let subscription = subject.subscribe(onNext: { deliver($0) })
                    return Pipeline(send: { subject.onNext($0) }, close: { subscription.dispose() })
                },
                peers: [
                    Side(name: "OpenCombine PassthroughSubject") { deliver in
                        let subject = PassthroughSubject<UInt64, Never>()
                        let subscription = subject.sink { deliver($0) }
                        return Pipeline(send: { subject.send($0) }, close: { subscription.cancel() })
                    },
                    Side(name: "NSLock around the call") { deliver in
                        let lock = NSLock()
                        let send = { (event: UInt64) in
                            lock.lock()
                            deliver(event)
                            lock.unlock()
                        }
                        return Pipeline(send: send, close: {})
                    },
                ],
                memoryLimit: 64, span: extent.of(200_000_000, quick: 10_000_000), rounds: extent.of(3, quick: 1)),
            hop(extent),
        ]
    }

    private static func hop(_ extent: Extent) -> LoadRow {
        LoadRow(
            area: .load, name: "observeOn.serial.load", producers: 1, consumers: 1,
            ours: Side(name: "observe(on: serial)") { deliver in
                let subject = PublishSubject<UInt64>()
                let subscription =
                    subject
                    .observe(on: SerialDispatchQueueScheduler(qos: .default))
                    .subscribe(onNext: { deliver($0) })
                return Pipeline(send: { subject.onNext($0) }, close: { subscription.dispose() })
            },
            peers: [
                Side(name: "OpenCombine receive(on:)") { deliver in
                    let subject = PassthroughSubject<UInt64, Never>()
                    let subscription =
                        subject
                        .receive(on: DispatchQueue(label: "peer").ocombine)
                        .sink { deliver($0) }
                    return Pipeline(send: { subject.send($0) }, close: { subscription.cancel() })
                },
                Side(name: "DispatchQueue.async per event") { deliver in
                    let queue = DispatchQueue(label: "peer")
                    return Pipeline(send: { event in queue.async { deliver(event) } }, close: {})
                },
            ],
            // The queue of a hop has no bound: above the capacity it holds the events that are not delivered yet.
            memoryLimit: nil, span: extent.of(200_000_000, quick: 10_000_000), rounds: extent.of(3, quick: 1))
    }
}
