// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxIOUring
import RxSwift

/// A file that is written in chunks while an event loop has other work: 300 microseconds in each of its turns.
///
/// Ours writes on that loop. The peer writes from a thread of its own, beside the same loop.
extension Row {
    #if os(Linux)
        static func fileWrites(_ extent: Extent) -> [Row] {
            let chunks = extent.of(2_048, quick: 128)
            return [
                Row(
                    .files, "file.write.besideWork.\(chunks / 8)MiB", vs: "write(2) in a thread of its own", bar: 0.8,
                    mallocLimit: nil, unit: "chunk of 128 KiB", events: chunks,
                    expected: { $0 * chunkSize },
                    ours: { chunks in
                        let written = Sum()
                        TurnsOfWork.beside {
                            let done = Completion()
                            let chunk = ByteChunk([UInt8](repeating: 0x5A, count: chunkSize))
                            let subscription = File.write(
                                Observable.from(repeatElement(chunk, count: chunks)), to: path, scheduler: Loops.ours
                            )
                            .subscribe(
                                onSuccess: {
                                    written.value = $0
                                    done.signal()
                                },
                                onFailure: { fail("File.write: \($0)") })
                            done.wait("File.write")
                            subscription.dispose()
                        }
                        return written.value
                    },
                    peer: { chunks in
                        let written = Sum()
                        TurnsOfWork.beside {
                            let done = Completion()
                            Thread.detachNewThread {
                                written.value = writePlainly(chunks)
                                done.signal()
                            }
                            done.wait("write(2)")
                        }
                        return written.value
                    })
            ]
        }

        private static let chunkSize = 128 * 1024

        private static let path = NamelessFile.path(NamelessFile.make())

        private static func writePlainly(_ chunks: Int) -> Int {
            let chunk = [UInt8](repeating: 0x5A, count: chunkSize)
            let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
            guard descriptor >= 0 else { fail("cannot open \(path): \(String(cString: strerror(errno)))") }
            defer { close(descriptor) }
            var sum = 0
            for _ in 0..<chunks {
                let count = Foundation.write(descriptor, chunk, chunkSize)
                guard count == chunkSize else { fail("cannot write \(path): \(String(cString: strerror(errno)))") }
                sum += count
            }
            return sum
        }
    #else
        static func fileWrites(_ extent: Extent) -> [Row] { [] }
    #endif
}

#if os(Linux)
    /// Work that gives an event loop something to do in each of its turns.
    private enum TurnsOfWork {
        private static let nanoseconds: UInt64 = 300_000

        /// Keeps the loop busy while `body` runs.
        static func beside(_ body: () -> Void) {
            let turns = SerialDisposable()
            turn(turns)
            body()
            turns.dispose()
        }

        private static func turn(_ turns: SerialDisposable) {
            turns.disposable = Loops.ours.schedule(()) { _ in
                let end = DispatchTime.now().uptimeNanoseconds + nanoseconds
                while DispatchTime.now().uptimeNanoseconds < end {}
                if !turns.isDisposed { turn(turns) }
                return Disposables.create()
            }
        }
    }
#endif
