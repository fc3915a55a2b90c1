// SPDX-License-Identifier: Apache-2.0

public import RxIOUring
public import RxSwift

extension ObservableType where Element == ByteChunk {
    /// The keys in the bytes of a terminal.
    ///
    /// - Parameter scheduler: measures the 50 milliseconds after which ESC alone is the key Escape.
    public func keys(scheduler: any SchedulerType) -> Observable<Key> {
        // Each chunk begins a pause, and ends that of the chunk before.
        flatMapLatest { chunk in
            Observable<Int>.timer(.milliseconds(50), scheduler: scheduler).map { _ in KeyInput.Piece.pause }
                .startWith(.bytes(chunk))
        }
        .scan(into: KeyInput()) { input, piece in input.decode(piece) }
        .concatMap { input in Observable.from(input.keys) }
    }
}

/// A decoder, and the keys of the last piece.
private struct KeyInput: Sendable {
    enum Piece: Sendable {
        case bytes(ByteChunk)
        case pause
    }

    private var decoder = KeyDecoder()
    private(set) var keys: [Key] = []

    mutating func decode(_ piece: Piece) {
        switch piece {
        case .bytes(let chunk): keys = decoder.decode(chunk)
        case .pause: keys = decoder.pause()
        }
    }
}
