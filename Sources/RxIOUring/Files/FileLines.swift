// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension File {
    /// Emits the lines of a file: `read` cut by `LineSplitter`.
    ///
    /// A line ends at a line feed or a carriage return with a line feed, which are not part of it; the last line needs none. Text
    /// is UTF-8; invalid bytes become U+FFFD. Lines are texts of their own and hold no memory of the stream. Reading pauses as in `read`,
    /// also between the lines of a chunk.
    /// - Parameters:
    ///   - path: the file.
    ///   - maximumLength: the number of bytes that a line may have, not negative, without its line ending.
    ///   - scheduler: the event loop that reads, and emits lines on its thread.
    /// - Returns: the lines. Fails with an `IOError`: `open`, `read`, and `split into lines` with `EMSGSIZE` at a line that
    ///   is too long.
    public static func lines(
        _ path: String, maximumLength: Int = LineSplitter.defaultMaximumLength, scheduler: IOUringScheduler
    ) -> Observable<String> {
        lines(Path(path), maximumLength: maximumLength, scheduler: scheduler)
    }

    /// Emits the lines of a file whose name need not be valid UTF-8. See `lines(_:maximumLength:scheduler:)` with a `String`.
    public static func lines(
        _ path: Path, maximumLength: Int = LineSplitter.defaultMaximumLength, scheduler: IOUringScheduler
    ) -> Observable<String> {
        read(path, scheduler: scheduler).lines(LineSplitter(maximumLength: maximumLength, subject: path.description))
    }
}
