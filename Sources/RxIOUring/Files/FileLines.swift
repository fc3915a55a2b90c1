public import RxSwift

extension File {
    /// The lines of a file: `read` cut by `LineSplitter`.
    ///
    /// A line ends at a line feed or a carriage return with a line feed, which are not part of it; the last line needs none.
    /// Text is UTF-8; what is not becomes U+FFFD. Lines are texts of their own and hold no memory of the stream, so reading
    /// does not wait for who keeps them: a consumer behind
    /// `observe(on:)` that is slower than the file lets lines pile up there. To have reading wait, hand on chunks, and cut
    /// them behind it: `read(...).observe(on:).lines()`.
    /// - Parameters:
    ///   - path: the file.
    ///   - maximumLength: how many bytes a line may have, without what ends it.
    ///   - scheduler: the event loop that reads, and on whose thread lines are emitted.
    /// - Returns: the lines. Fails with an `IOError`: `open`, `read`, and `split into lines` with `EMSGSIZE` at a line that
    ///   is too long.
    public static func lines(
        _ path: String, maximumLength: Int = LineSplitter.defaultMaximumLength, scheduler: IOUringScheduler
    ) -> Observable<String> {
        read(path, scheduler: scheduler).lines(LineSplitter(maximumLength: maximumLength, subject: path))
    }
}
