// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc
import RxIOUring
import RxSwift

/// The files and pipes of a program, and what came out of them.
final class TransferLog: @unchecked Sendable {
    final class Transfer: @unchecked Sendable {
        let name: String
        let sizes: [Int]
        let mayFail: () -> Bool
        var parser = FrameParser()
        var writeEnd = StreamEnd()
        var readEnd = StreamEnd()
        var needsReading = true

        init(_ name: String, _ sizes: [Int], mayFail: @escaping () -> Bool) {
            self.name = name
            self.sizes = sizes
            self.mayFail = mayFail
        }

        var chunks: [ByteChunk] {
            sizes.enumerated().map { ByteChunk(Frame.bytes(lane: 1, index: $0, size: $1)) }
        }

        func take(_ chunk: ByteChunk) {
            parser.take(chunk) { [sizes] _, index in index < sizes.count ? sizes[index] : nil }
        }

        var isOver: Bool { writeEnd.isOver && (readEnd.isOver || !needsReading) }
    }

    private var transfers: [Transfer] = []

    var count: Int { transfers.count }
    var areOver: Bool { transfers.allSatisfy(\.isOver) }

    /// Writes a file, and reads it when it is written.
    func writeFile(
        _ path: String, _ sizes: [Int], _ synchronizes: Bool, _ scheduler: IOUringScheduler,
        mayFail: @escaping () -> Bool
    ) {
        let transfer = Transfer("file", sizes, mayFail: mayFail)
        transfers.append(transfer)
        _ = File.write(
            .from(transfer.chunks, scheduler: scheduler), to: path, synchronize: synchronizes, scheduler: scheduler
        ).subscribe(
            onSuccess: { count in
                transfer.writeEnd.completions += 1
                if count != sizes.reduce(0, +) { transfer.writeEnd.completions += 1 }
                TransferLog.read(File.read(path, chunkSize: 5_000, scheduler: scheduler), transfer)
            },
            onFailure: {
                transfer.writeEnd.errors.append($0)
                transfer.needsReading = false
            })
    }

    func pipe(_ sizes: [Int], from writer: IOUringScheduler, to reader: IOUringScheduler, mayFail: @escaping () -> Bool)
    {
        let transfer = Transfer("pipe", sizes, mayFail: mayFail)
        guard let (readEnd, writeEnd) = try? DescriptorStream.makePipe(capacity: 4_096) else { return }
        transfers.append(transfer)
        TransferLog.read(DescriptorStream.read(readEnd, closesWhenDone: true, scheduler: reader), transfer)
        _ = DescriptorStream.write(.from(transfer.chunks), to: writeEnd, closesWhenDone: true, scheduler: writer)
            .subscribe(
                onCompleted: { transfer.writeEnd.completions += 1 }, onError: { transfer.writeEnd.errors.append($0) })
    }

    private static func read(_ source: Observable<ByteChunk>, _ transfer: Transfer) {
        _ = source.subscribe(
            onNext: transfer.take, onError: { transfer.readEnd.errors.append($0) },
            onCompleted: { transfer.readEnd.completions += 1 })
    }

    func check(_ world: World) {
        for (number, transfer) in transfers.enumerated() {
            let name = "\(transfer.name) \(number)"
            if let fault = transfer.parser.fault { world.fault("\(name): \(fault)") }
            if transfer.writeEnd.count != 1 { world.fault("\(name): the write ended \(transfer.writeEnd.count) times") }
            if transfer.needsReading, transfer.readEnd.count != 1 {
                world.fault("\(name): the read ended \(transfer.readEnd.count) times")
            }
            if let error = (transfer.writeEnd.errors + transfer.readEnd.errors).first, !transfer.mayFail() {
                world.fault("\(name): \(error)")
            }
            let arrived = transfer.parser.whole[1, default: 0]
            if transfer.writeEnd.isClean, transfer.readEnd.isClean,
                arrived != transfer.sizes.count || transfer.parser.isCut
            {
                world.fault("\(name): \(arrived) of \(transfer.sizes.count) frames")
            }
        }
    }
}
