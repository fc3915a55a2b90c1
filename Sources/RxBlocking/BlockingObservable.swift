// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import RxSwift

/// A sequence whose events the calling thread waits for. It is meant for tests and command-line tools.
///
/// Each of its methods subscribes, and returns when the sequence has ended or enough is known. While it waits, the calling thread
/// runs the work that would otherwise wait for it: the work queued on its `CurrentThreadScheduler`, and its run loop; on the main
/// thread that runs the main queue, and with it `MainScheduler`.
///
/// It waits in vain, until the timeout if there is one, for events that only code further up its own stack could cause: those of a
/// subject or source from whose callback it is called, or of a serial queue on which it is called. Where that is certain, because the
/// events are delivered by `observe(on:)` on such a queue (also as a `Driver` or `Signal`, and with `map`, `filter`, `take(_:)`,
/// `share` and their like behind it), it fails at once with `BlockingError`. The main queue is such a queue where it is not the main
/// thread that runs it: in `@MainActor` code under Swift Testing and under an asynchronous `main`; use `await` there.
public struct BlockingObservable<Element>: @unchecked Sendable {
    let timeout: TimeInterval?
    let source: Observable<Element>
}

extension ObservableConvertibleType {
    /// The sequence in a form whose events can be waited for on the calling thread.
    ///
    /// - Parameter timeout: how long each method waits at most, in seconds of a monotonic clock; then it fails with
    ///   `RxError.timeout`. Without it, or if it is not a number, there is no limit. With zero or less each method fails; a method that returns elements beside
    ///   an error still returns those that a synchronous source sent. A source that keeps the calling thread, as an endless
    ///   `repeatElement` does, is disposed of after another such time, or another second if that is more.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
