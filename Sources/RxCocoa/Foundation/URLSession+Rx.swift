// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RxSwift

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Reactive where Base: URLSession {
    /// Sends a request, and delivers the response, of any status, with its body.
    ///
    /// Each subscription sends the request anew; disposing of it cancels the request. Events come on the session's delegate queue.
    /// Fails with the session's error, with `RxCocoaURLError.nonHTTPResponse`, or `RxCocoaURLError.unknown` when the session gives
    /// neither response nor error. `shouldLogRequest` decides what is printed.
    /// - Parameter request: the request to send.
    public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
        let session: URLSession = base
        return .create { observer in
            let log = RequestLog(request)
            let task = session.dataTask(with: request) { data, response, error in
                log.ended(response, error)
                guard let response, let data else {
                    observer.on(.error(error ?? RxCocoaURLError.unknown))
                    return
                }
                guard let response = response as? HTTPURLResponse else {
                    observer.on(.error(RxCocoaURLError.nonHTTPResponse(response: response)))
                    return
                }
                observer.on(.next((response: response, data: data)))
                observer.on(.completed)
            }
            task.resume()
            return Disposables.create { task.cancel() }
        }
    }

    /// Sends a request, and delivers the body of its response.
    ///
    /// As `response(request:)`; besides fails with `RxCocoaURLError.httpRequestFailed` when the status is not from 200 to 299.
    /// - Parameter request: the request to send.
    public func data(request: URLRequest) -> Observable<Data> {
        response(request: request).map { response, data in
            guard 200..<300 ~= response.statusCode else {
                throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
            }
            return data
        }
    }

    /// Sends a request, and delivers the JSON of its response as `JSONSerialization` reads it.
    ///
    /// As `data(request:)`; besides fails with `RxCocoaURLError.deserializationError` when the body is not JSON.
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: how to read the JSON.
    public func json(request: URLRequest, options: JSONSerialization.ReadingOptions = []) -> Observable<Any> {
        data(request: request).map { data in
            do {
                return try JSONSerialization.jsonObject(with: data, options: options)
            } catch {
                throw RxCocoaURLError.deserializationError(error: error)
            }
        }
    }

    /// Fetches an address, and delivers its JSON as `JSONSerialization` reads it.
    ///
    /// It behaves as `json(request:options:)` with the default options.
    /// - Parameter url: the address to fetch, with GET.
    public func json(url: URL) -> Observable<Any> {
        json(request: URLRequest(url: url))
    }
}

extension Reactive where Base == URLSession {
    /// Tells whether a request is printed to standard output, as a `curl` command followed by how the request ended and how long it took.
    ///
    /// Called when the request is sent, to take the time, and when it has ended, to print; on any thread. May be replaced at any time.
    /// The default returns true in debug builds. Everything is printed, passwords and tokens in headers too.
    public static var shouldLogRequest: (URLRequest) -> Bool {
        get { RequestLog.shouldLog }
        set { RequestLog.shouldLog = newValue }
    }
}
