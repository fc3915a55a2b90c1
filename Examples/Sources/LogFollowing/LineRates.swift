// SPDX-License-Identifier: Apache-2.0

public import LogLines
public import RxIOUring
public import RxSwift

/// The lines of files as they are written, counted by key, second by second.
public struct LineRates: Sendable {
    private let files: [String]
    private let start: File.FollowStart
    private let key: LineKey
    private let scheduler: IOUringScheduler

    /// Lines without a key are counted, too.
    private static let noKey = "(no key)"

    public init(files: [String], start: File.FollowStart, key: LineKey, scheduler: IOUringScheduler) {
        self.files = files
        self.start = start
        self.key = key
        self.scheduler = scheduler
    }

    /// Emits a table for each second, also for one without lines, and one for the remaining lines when `stop` emits; then completes.
    public func tables(until stop: Observable<Void>) -> Observable<RateTable> {
        lines
            .take(until: stop)
            .map { [key] line in key.key(of: line) ?? LineRates.noKey }
            .window(timeSpan: .seconds(1), count: 0, scheduler: scheduler)
            .concatMap { window in LineRates.table(of: window) }
    }

    /// All files on one loop: their lines are merged without a thread waiting for another.
    private var lines: Observable<String> {
        Observable.merge(
            files.map { file in File.follow(file, from: start, scheduler: scheduler).lines() })
    }

    /// Counts while the window is open, so that it holds a number for each key, not the lines.
    private static func table(of window: Observable<String>) -> Single<RateTable> {
        window
            .groupBy { $0 }
            .flatMap { group in
                group.reduce(0) { count, _ in count + 1 }.map { RateTable.Row(key: group.key, count: $0) }
            }
            .toArray()
            .map(RateTable.init)
    }
}
