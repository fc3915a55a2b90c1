// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import RxIOUring

/// `--backend`, for programs that have event loops.
public struct BackendOption: ParsableArguments {
    @Option(help: "uring or epoll; without it, the best there is.", transform: { try BackendOption.parse($0) })
    public var backend: IOUringScheduler.Backend?

    public init() {}

    private static func parse(_ text: String) throws -> IOUringScheduler.Backend {
        guard let backend = IOUringScheduler.Backend(rawValue: text) else {
            throw ValidationError("'\(text)' is neither uring nor epoll")
        }
        return backend
    }
}
