// SPDX-License-Identifier: Apache-2.0

import HTTP
import RxIOUring
import RxSwift

/// One connection of a browser: a request, its answer, and the end.
struct BrowserSession {
    let connection: Connection
    /// The state of the dashboard as JSON: the latest at once, then each that follows.
    let snapshots: Observable<String>

    /// The time that a browser has to send its request, also if it sends a byte now and then.
    private static let patience = RxTimeInterval.seconds(10)
    private static let farewell = RxTimeInterval.seconds(2)
    private static let page = ByteChunk(PackageResources.page_html)

    /// The limits for each connection.
    static var options: ConnectionOptions {
        var options = ConnectionOptions()
        // For a slow browser few snapshots are queued, here and in the kernel: it skips others, and gets a new one next.
        options.sendLimit = 8 * 1_024
        options.sendBufferSize = 4 * 1_024
        options.userTimeout = .seconds(30)
        return options
    }

    /// Completes when the connection may be closed. Fails as the connection does.
    func run() -> Completable {
        connection.write(request.flatMap(answer)).andThen(end)
    }

    private var request: Observable<RequestParser.Result> {
        connection.received
            .scan(into: RequestParser()) { parser, bytes in parser.append(bytes) }
            .compactMap(\.result)
            .take(1)
            .timeout(BrowserSession.patience, scheduler: connection.scheduler)
    }

    private func answer(_ result: RequestParser.Result) -> Observable<ByteChunk> {
        switch result {
        case .failure(let status): failure(status)
        case .request(let request):
            switch (request.path, request.method) {
            case ("/", "GET"): pageHead.concat(Observable.just(BrowserSession.page))
            case ("/", "HEAD"): pageHead
            case ("/events", "GET"): eventsHead.concat(events)
            case ("/events", "HEAD"): eventsHead
            case ("/", _), ("/events", _): failure(.methodNotAllowed)
            default: failure(.notFound)
            }
        }
    }

    private var pageHead: Observable<ByteChunk> {
        head(ResponseHead(.ok, type: "text/html; charset=utf-8", length: BrowserSession.page.count))
    }

    private var eventsHead: Observable<ByteChunk> { head(ResponseHead(.ok, type: "text/event-stream", length: nil)) }

    private func failure(_ status: Status) -> Observable<ByteChunk> {
        let body = "\(status.rawValue) \(status.reason)\n"
        return head(ResponseHead(status, type: "text/plain; charset=utf-8", length: body.utf8.count))
            .concat(Observable.just(ByteChunk(body)))
    }

    private func head(_ head: ResponseHead) -> Observable<ByteChunk> { .just(ByteChunk(head.text)) }

    /// Each event is a whole snapshot, so a browser that skips some, or connects again, misses nothing.
    private var events: Observable<ByteChunk> {
        snapshots
            .map { ByteChunk(ServerSentEvent(data: $0, retryMilliseconds: 1_000).text) }
            // While the browser does not read, `write` pauses this, and only the latest event is kept.
            .onBackpressure(overflow: .latest)
            .take(until: hangUp)
    }

    /// Emits when the browser has closed its side; what it sends until then does not matter.
    private var hangUp: Observable<Void> { connection.received.reduce(()) { _, _ in } }

    /// Ends the answer, and waits for the browser to close. To close before it has sent everything would reset the connection, and the
    /// browser could lose the answer.
    private var end: Completable {
        .deferred {
            connection.shutdownOutput()
            return hangUp.ignoreElements()
                .timeout(BrowserSession.farewell, scheduler: connection.scheduler)
                .asCompletable()
        }
    }
}
