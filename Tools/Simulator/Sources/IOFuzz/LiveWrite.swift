// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import RxSwift

/// A write of a sequence that the threads of the program feed, and end.
final class LiveWrite: @unchecked Sendable {
    let end: End
    /// The lane of its frames, and its number among the writes of its end.
    let lane: Int
    let number: Int
    let source = PublishSubject<ByteChunk>()
    var subscription: (any Disposable)?
    /// The number of frames that the sequence has emitted, and at its completion.
    var emitted = 0
    var completed: Int?

    init(_ end: End) {
        self.end = end
        lane = end.newLane()
        number = end.writeEnds.count
        end.sends[lane] = []
        end.writeEnds.append(StreamEnd())
    }
}

extension World {
    func beginWrite(_ slot: Int, _ end: End) {
        guard let connection = end.connection else { return }
        let write = LiveWrite(end)
        liveWrites[slot] = write
        write.subscription = connection.write(write.source.asObservable()).subscribe(
            onCompleted: { [self] in
                end.writeEnds[write.number].completions += 1
                for index in 0..<(write.completed ?? 0) {
                    end.sends[write.lane]![index].isAccepted = true
                    end.sends[write.lane]![index].moment = now()
                }
            }, onError: { end.writeEnds[write.number].errors.append($0) })
    }

    func feed(_ write: LiveWrite, _ size: Int) {
        // The loop subscribes to the sequence some time later.
        guard write.source.hasObservers else { return }
        let index = write.end.sends[write.lane]!.count
        write.end.sends[write.lane]!.append(End.Send(size: size))
        write.source.onNext(ByteChunk(Frame.bytes(lane: write.lane, index: index, size: size)))
        // An element beside the completion may be none any more.
        if write.completed == nil { write.emitted = index + 1 }
    }

    func finish(_ write: LiveWrite) {
        guard write.completed == nil else { return }
        write.completed = write.emitted
        write.source.onCompleted()
    }

    func dispose(_ write: LiveWrite) {
        // Another step may do so before the write has begun as a whole.
        guard let subscription = write.subscription else { return }
        write.end.writeEnds[write.number].isDisposed = true
        subscription.dispose()
    }
}
