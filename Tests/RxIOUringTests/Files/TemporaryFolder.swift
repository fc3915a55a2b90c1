// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxPrimitives
import RxSwift
import TestSupport
import Testing

/// The folder of one test, which is removed with this object.
final class TemporaryFolder: @unchecked Sendable {
    let path: String

    init() {
        var template = Array("/tmp/rx-files-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "mkdtemp: errno \(errno)")
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    subscript(name: String) -> String { "\(path)/\(name)" }

    /// Creates a file, or writes at the end of an existing one. Returns its path.
    @discardableResult
    func append(_ bytes: some Collection<UInt8>, to name: String) -> String {
        write(Array(bytes), name, O_APPEND)
    }

    /// Creates a file, or replaces the bytes of an existing one. Returns its path.
    @discardableResult
    func put(_ bytes: some Collection<UInt8>, into name: String) -> String {
        write(Array(bytes), name, O_TRUNC)
    }

    private func write(_ bytes: [UInt8], _ name: String, _ flags: CInt) -> String {
        let descriptor = open(self[name], O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o644)
        precondition(descriptor >= 0, "open \(self[name]): errno \(errno)")
        precondition(bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
        close(descriptor)
        return self[name]
    }

    func bytes(of name: String) -> [UInt8] {
        let descriptor = open(self[name], O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &part, part.count), count > 0 { all += part[..<count] }
        return all
    }

    func rename(_ name: String, to other: String) { precondition(Glibc.rename(self[name], self[other]) == 0) }

    func remove(_ name: String) { unlink(self[name]) }

    /// The names in the folder, sorted.
    var names: [String] { TemporaryFolder.names(path).sorted() }

    func names(in name: String) -> [String] { TemporaryFolder.names(self[name]).sorted() }

    /// Closes the descriptor by which this process has a file open. Returns false if there is none.
    func closeDescriptor(of name: String) -> Bool {
        for fd in TemporaryFolder.names("/proc/self/fd") {
            var target = [CChar](repeating: 0, count: 4096)
            if readlink("/proc/self/fd/\(fd)", &target, 4095) < 0 { continue }
            let path = target.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            if path == self[name] { return close(CInt(fd)!) == 0 }
        }
        return false
    }

    deinit { TemporaryFolder.removeAll(path) }

    private static func names(_ path: String) -> [String] {
        var names: [String] = []
        guard let directory = opendir(path) else { return [] }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        closedir(directory)
        return names
    }

    private static func removeAll(_ path: String) {
        for name in names(path) where unlink("\(path)/\(name)") != 0 { removeAll("\(path)/\(name)") }
        rmdir(path)
    }
}

/// Bytes that repeat only after a while, so that a test notices a piece that is missing or doubled.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    var bytes = (0..<min(count, patternPeriod)).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += bytes[..<min(patternPeriod, count - bytes.count)] }
    return bytes
}

/// A prime number, so that no two pieces of a usual size are equal.
private let patternPeriod = 65_521

/// The events of a stream, from any thread.
final class Received<Element>: @unchecked Sendable {
    private let lock = Mutex()
    /// Under the lock.
    private var all: [Element] = []
    private var ending: Event<Never>?
    private let subscription = SingleAssignmentDisposable()

    init(_ source: Observable<Element>, onNext: @escaping (Element) -> Void = { _ in }) {
        nonisolated(unsafe) let onNext = onNext
        subscription.setDisposable(
            source.subscribe { [weak self] event in
                if case .next(let element) = event { onNext(element) }
                // An event may be on its way when a test ends.
                self?.receive(event)
            })
    }

    private func receive(_ event: Event<Element>) {
        lock.withLock {
            switch event {
            case .next(let element): all.append(element)
            case .error(let error): ending = .error(error)
            case .completed: ending = .completed
            }
        }
    }

    var elements: [Element] { lock.withLock { all } }

    /// Returns the elements so far, and releases them.
    func take() -> [Element] {
        lock.withLock {
            defer { all = [] }
            return all
        }
    }

    var hasEnded: Bool { lock.withLock { ending != nil } }
    var hasCompleted: Bool { lock.withLock { ending.map { $0.error == nil } ?? false } }
    var error: IOError? { lock.withLock { ending?.error as? IOError } }
    var anyError: (any Error)? { lock.withLock { ending?.error } }

    func dispose() { subscription.dispose() }

    /// Returns whether the stream ended in time.
    func ends() async -> Bool { await eventually { self.hasEnded } }
}

extension Received<ByteChunk> {
    /// Copies the chunks as they come, so that the stream gets its memory back.
    static func bytes(_ source: Observable<ByteChunk>) -> Received<[UInt8]> {
        Received<[UInt8]>(source.map { Array($0) })
    }
}

extension Received<[UInt8]> {
    var bytes: [UInt8] { elements.flatMap { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether the bytes that have come are this text in time.
    func becomes(_ text: String) async -> Bool { await eventually { self.text == text } }
}

/// Runs the body of a test with a folder and a loop, and expects that it leaves no descriptor and no object.
func leavingNothing(
    _ backend: Backend, _ body: (TemporaryFolder, IOUringScheduler) async throws -> Void
) async rethrows {
    warmUp
    // The first sleep of a task opens a timer for the life of the process.
    try? await Task.sleep(nanoseconds: 2_000_000)
    #if TRACE_RESOURCES
        await quiet { Int(Resources.total) }
        let objects = Resources.total
    #endif
    // Earlier tests may still be closing theirs: then there are fewer in the end.
    await quiet { descriptorCount() }
    let descriptors = descriptorCount()
    do {
        let scheduler = IOUringScheduler(backend: backend)
        #expect(scheduler.backend == backend.kind)
        try await body(TemporaryFolder(), scheduler)
        scheduler.shutdown()
    }
    #expect(await eventually { descriptorCount() <= descriptors }, "\(descriptorCount()), before \(descriptors)")
    #if TRACE_RESOURCES
        #expect(await eventually { Resources.total <= objects }, "\(Resources.census())")
    #endif
}

/// Opens the descriptors that Dispatch and the loops open once in the life of a process.
private let warmUp: Void = {
    for backend in Backend.built {
        let scheduler = IOUringScheduler(backend: backend)
        let done = OneShot()
        _ = File.read("/proc/self/status", scheduler: scheduler).subscribe(onDisposed: { done.fire() })
        _ = done.wait()
        scheduler.shutdown()
    }
}()

/// How bytes differ from those expected; nil if they don't.
///
/// For many bytes: where two arrays are not equal, `#expect(found == expected)` looks for the shortest way from one to the other, for hours.
func difference(_ found: [UInt8], _ expected: [UInt8]) -> String? {
    if found == expected { return nil }
    let position = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
    return
        "\(found.count) bytes in place of \(expected.count), equal up to \(position ?? min(found.count, expected.count))"
}
