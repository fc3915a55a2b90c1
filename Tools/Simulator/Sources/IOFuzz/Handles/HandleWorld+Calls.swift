// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxIOUring
import RxSwift

extension HandleWorld {
    /// - Parameter loop: the loop on whose thread the call is made.
    func perform(_ call: HandleProgram.Call, onLoop loop: Int?) {
        switch call {
        case .receive(let number): connection(number) { watch("received", on: $0.scheduler, $0.received) }
        case .receiveLater(let number, let loop, let microseconds):
            connection(number) { connection in
                let later = schedulers[loop]
                watch(
                    "received later", on: later,
                    microseconds.map { connection.received.delay(.microseconds($0), scheduler: later) }
                        ?? connection.received.observe(on: later))
            }
        case .receiveLines(let number): connection(number) { watch("lines", on: $0.scheduler, $0.received.lines()) }
        case .watchClose(let number): connection(number) { watch("closed", on: $0.scheduler, $0.closed.asObservable()) }
        case .watchWritable(let number): connection(number) { watch("isWritable", on: $0.scheduler, $0.isWritable) }
        case .send(let number, let size): connection(number) { $0.send(bytes(size)) }
        case .write(let number, let kind):
            connection(number) { watch("write", on: $0.scheduler, $0.write(source(kind)).asObservable()) }
        case .writeBytes(let number, let size):
            connection(number) { watch("write of bytes", on: $0.scheduler, $0.write(bytes(size)).asObservable()) }
        case .shutdownOutput(let number): connection(number) { $0.shutdownOutput() }
        case .close(let number): end(number) { $0.close() }
        case .abort(let number): end(number) { $0.abort() }
        case .dropConnection(let number): drop(number, &connections)
        case .accept(let number):
            at(number, listeners) {
                watch("connections", on: $0.scheduler, $0.connections) { self.connections.append($0) }
            }
        case .connect(let number, let loop):
            at(number, listeners) { listener in
                watch(
                    "connect", on: schedulers[loop], mustEnd: true,
                    TCP.connect(to: listener.address, scheduler: schedulers[loop]).asObservable()
                ) { self.connections.append($0) }
            }
        case .connectByName(let number, let loop, let milliseconds):
            at(number, listeners) { listener in
                watch(
                    "connect by name", on: schedulers[loop], mustEnd: true,
                    TCP.connect(
                        host: "localhost", port: listener.address.port ?? 9, timeout: .milliseconds(milliseconds),
                        scheduler: schedulers[loop]
                    ).asObservable()
                ) { self.connections.append($0) }
            }
        case .quiesce(let number, let milliseconds):
            at(number, listeners) {
                watch(
                    "quiesce", on: $0.scheduler, mustEnd: true,
                    $0.quiesce(within: .milliseconds(milliseconds)).asObservable())
            }
        case .closeListener(let number): at(number, listeners) { $0.close() }
        case .dropListener(let number): drop(number, &listeners)
        case .receiveDatagrams(let number): at(number, sockets) { watch("datagrams", on: $0.scheduler, $0.received) }
        case .sendDatagram(let number, let other, let size):
            at(number, sockets) { socket in at(other, sockets) { socket.send(bytes(size), to: $0.address) } }
        case .connectSocket(let number, let other):
            at(number, sockets) { socket in at(other, sockets) { try? socket.connect(to: $0.address) } }
        case .closeSocket(let number): at(number, sockets) { $0.close() }
        case .dropSocket(let number): drop(number, &sockets)
        case .openFile, .writeFile, .writeFileFrom, .appendToFile, .synchronizeFile, .readFile, .watchFile, .closeFile,
            .dropFile, .readPath, .followPath, .renamePath, .writePath, .pipe:
            performOnFile(call)
        case .feed(let number, let size): emit(number) { $0.onNext(bytes(size)) }
        case .complete(let number): emit(number) { $0.onCompleted() }
        case .fail(let number): emit(number) { $0.onError(Watched.Failed()) }
        case .dispose(let number): dispose(number, onLoop: loop)
        case .pause(let microseconds): rx_sim_sleep(UInt64(microseconds) * 1_000)
        case .shutdown(let ending, let milliseconds):
            // Two loops that wait for each other's end wait for ever, as documented.
            if let loop, loop != ending { return }
            endedLoops.insert(ending)
            if milliseconds < 0 {
                schedulers[ending].shutdown()
            } else {
                schedulers[ending].shutdown(draining: .milliseconds(milliseconds))
            }
        }
    }

    private func performOnFile(_ call: HandleProgram.Call) {
        switch call {
        case .openFile(let loop):
            let opening = File.open("\(folder)/opened", scheduler: schedulers[loop]).asObservable()
            watch("open", on: schedulers[loop], mustEnd: true, opening) { self.files.append($0) }
        case .writeFile(let number, let size):
            at(number, files) {
                watch("write to file", on: $0.scheduler, mustEnd: true, $0.write(bytes(size)).asObservable())
            }
        case .writeFileFrom(let number, let kind):
            at(number, files) { watch("write to file", on: $0.scheduler, $0.write(source(kind)).asObservable()) }
        case .appendToFile(let number, let size): at(number, files) { $0.append(bytes(size)) }
        case .synchronizeFile(let number):
            at(number, files) { watch("sync", on: $0.scheduler, mustEnd: true, $0.sync().asObservable()) }
        case .readFile(let number, let offset):
            at(number, files) {
                watch(
                    "read of file", on: $0.scheduler, mustEnd: true,
                    $0.read(at: Int64(offset), count: 500).asObservable())
            }
        case .watchFile(let number): at(number, files) { watch("isWritable", on: $0.scheduler, $0.isWritable) }
        case .closeFile(let number):
            at(number, files) { watch("close of file", on: $0.scheduler, mustEnd: true, $0.close().asObservable()) }
        case .dropFile(let number): drop(number, &files)
        case .readPath(let loop, let isLines):
            watch(
                "read", on: schedulers[loop], mustEnd: true, lines: isLines,
                File.read(path, chunkSize: 700, scheduler: schedulers[loop]))
        case .followPath(let loop, let isLines):
            watch(
                "follow", on: schedulers[loop], lines: isLines,
                File.follow("\(folder)/written", from: .beginning, chunkSize: 700, scheduler: schedulers[loop]))
        case .renamePath: rename("\(folder)/written", "\(folder)/written.1")
        case .writePath(let loop, let kind, let replaces):
            watch(
                "file", on: schedulers[loop],
                File.write(
                    source(kind), to: "\(folder)/written", mode: replaces ? .replaceAtomically : .append,
                    scheduler: schedulers[loop]
                ).asObservable())
        case .pipe(let reader, let writer, let isLines, let kind):
            guard let (readEnd, writeEnd) = try? DescriptorStream.makePipe(capacity: 4_096) else { return }
            watch(
                "read of pipe", on: schedulers[reader], lines: isLines,
                DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: schedulers[reader]))
            watch(
                "write to pipe", on: schedulers[writer],
                DescriptorStream.write(source(kind), to: writeEnd, closesWhenDone: true, scheduler: schedulers[writer])
                    .asObservable())
        default: fatalError("a call on something else: \(call)")
        }
    }

    private func source(_ kind: HandleProgram.Source) -> Observable<ByteChunk> {
        switch kind {
        case .empty: .empty()
        case .one(let size): .just(bytes(size))
        case .some(let count, let loop):
            .from((0..<count).map { bytes(100 * $0) }, scheduler: schedulers[loop])
        case .failure: Observable.just(bytes(10)).concat(Observable.error(Watched.Failed()))
        case .never: .never()
        case .subject(let number): subjects[number]
        case .timer(let loop, let microseconds):
            Observable<Int>.interval(.microseconds(microseconds), scheduler: schedulers[loop]).map {
                self.bytes($0 % 50)
            }
        case .input(let number):
            connections.isEmpty ? .never() : connections[number % connections.count]?.received ?? .empty()
        case .file(let loop): File.read(path, chunkSize: 700, scheduler: schedulers[loop])
        case .hop(let inner, let loop): source(inner).observe(on: schedulers[loop])
        case .delay(let inner, let loop, let microseconds):
            source(inner).delay(.microseconds(microseconds), scheduler: schedulers[loop])
        case .shared(let inner): shared(source(inner))
        }
    }

    /// Ends a connection, whose close has to be told.
    private func end(_ number: Int, _ body: (Connection) -> Void) {
        connection(number) { connection in
            watch("closed by this side", on: connection.scheduler, mustEnd: true, connection.closed.asObservable())
            body(connection)
        }
    }

    private func shared(_ source: Observable<ByteChunk>) -> Observable<ByteChunk> {
        let shared = source.share()
        others.append(shared.subscribe(onError: { _ in }))
        return shared
    }

    private func connection(_ number: Int, _ body: (Connection) -> Void) { at(number, connections, body) }

    /// Passes a handle to `body`, if there is one.
    private func at<Handle>(_ number: Int, _ handles: [Handle?], _ body: (Handle) -> Void) {
        if handles.isEmpty { return }
        if let handle = handles[number % handles.count] { body(handle) }
    }

    private func drop<Handle>(_ number: Int, _ handles: inout [Handle?]) {
        if handles.isEmpty { return }
        // Released behind the access: the release may call this program.
        let old = handles[number % handles.count]
        handles[number % handles.count] = nil
        withExtendedLifetime(old) {}
    }

    /// Passes a subject to `body`, unless another thread is emitting through it: events come one behind another.
    private func emit(_ number: Int, _ body: (PublishSubject<ByteChunk>) -> Void) {
        if !busySubjects.insert(number).inserted { return }
        body(subjects[number])
        busySubjects.remove(number)
    }

    private func bytes(_ size: Int) -> ByteChunk { ByteChunk([UInt8](repeating: UInt8(size % 251), count: size)) }
}
