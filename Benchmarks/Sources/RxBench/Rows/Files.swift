// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxIOUring
import RxSwift

/// A file that the page cache holds, read in chunks. Each side adds up the sizes and the first bytes of its chunks.
extension Row {
    #if os(Linux)
        static func files(_ extent: Extent) -> [Row] {
            let file = BigFile(chunks: extent.of(8_192, quick: 512))
            return [
                reading(file, vs: "FileHandle.read loop", bar: 2) { chunks in
                    guard let handle = FileHandle(forReadingAtPath: file.path) else { fail("cannot open \(file.path)") }
                    var sum = 0
                    while let data = try? handle.read(upToCount: BigFile.chunkSize), let first = data.first {
                        sum += data.count + Int(first)
                    }
                    try? handle.close()
                    return sum
                },
                reading(file, vs: "read(2) loop", bar: 0.95) { chunks in
                    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
                    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BigFile.chunkSize, alignment: 4096)
                    defer {
                        close(descriptor)
                        buffer.deallocate()
                    }
                    var sum = 0
                    while true {
                        let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                        if count <= 0 { return sum }
                        sum += count + Int(buffer[0])
                    }
                },
            ]
        }

        private static func reading(_ file: BigFile, vs peerName: String, bar: Double, peer: @escaping Workload) -> Row
        {
            Row(
                .files, "file.read.\(file.mebibytes)MiB", vs: peerName, bar: bar, mallocLimit: nil,
                unit: "chunk of 128 KiB", events: file.chunks, expected: { _ in file.sum },
                ours: { _ in read(file) },
                peer: peer,
                mallocs: { chunks in (0..<chunks / file.chunks).reduce(0) { sum, _ in sum + read(file) } })
        }

        private static func read(_ file: BigFile) -> Int {
            let sum = Sum()
            let done = Completion()
            let subscription = File.read(file.path, chunkSize: BigFile.chunkSize, scheduler: Loops.ours)
                .subscribe(
                    onNext: { sum.value += $0.count + Int($0[$0.startIndex]) },
                    onError: { fail("File.read: \($0)") },
                    onCompleted: { done.signal() })
            done.wait("File.read")
            subscription.dispose()
            return sum.value
        }
    #else
        static func files(_ extent: Extent) -> [Row] { [] }
    #endif
}

#if os(Linux)
    /// Files in the temporary folder whose names are removed at once, so that they are gone after any end of the program.
    enum NamelessFile {
        /// Returns the descriptor of a new, empty file.
        static func make() -> CInt {
            let name = FileManager.default.temporaryDirectory.appendingPathComponent("swift-rx-bench-XXXXXX").path
            var template = Array(name.utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0, unlink(template) == 0 else { fail("cannot make a file like \(name)") }
            return descriptor
        }

        /// Returns the path by which the file is opened anew while the descriptor is open.
        static func path(_ descriptor: CInt) -> String { "/proc/self/fd/\(descriptor)" }
    }

    /// A file with known contents, made at its first use.
    private final class BigFile {
        static let chunkSize = 128 * 1024

        let chunks: Int

        init(chunks: Int) {
            self.chunks = chunks
        }

        var mebibytes: Int { chunks / 8 }

        /// The sum that a reader has to reach.
        var sum: Int { (0..<chunks).reduce(0) { $0 + BigFile.chunkSize + Int(BigFile.firstByte($1)) } }

        private(set) lazy var path: String = {
            let descriptor = NamelessFile.make()
            var chunk = [UInt8](repeating: 0x5A, count: BigFile.chunkSize)
            for number in 0..<chunks {
                chunk[0] = BigFile.firstByte(number)
                guard write(descriptor, chunk, chunk.count) == chunk.count else {
                    fail("cannot write \(mebibytes) MiB to the temporary folder: \(String(cString: strerror(errno)))")
                }
            }
            return NamelessFile.path(descriptor)
        }()

        private static func firstByte(_ chunk: Int) -> UInt8 { UInt8(truncatingIfNeeded: chunk &* 7) }
    }
#endif
