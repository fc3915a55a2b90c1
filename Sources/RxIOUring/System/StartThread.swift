// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs `body` on a new detached thread. Returns 0, or an errno if the system has no thread: then `body` is released.
package func startThread(_ body: @escaping () -> Void) -> CInt {
    let box = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Observers run on this thread, and law L8 promises recursion through operators the stack of a main thread.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let status = pthread_create(
        &thread, &attributes, { Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run() }, box.toOpaque())
    pthread_attr_destroy(&attributes)
    if status != 0 { box.release() }
    return status
}

private final class ThreadBody {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    func run() -> UnsafeMutableRawPointer? {
        body()
        return nil
    }
}
