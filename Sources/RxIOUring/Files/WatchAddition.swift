// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The addition of a watch to the inotify instance of a loop. Used only on the loop thread.
///
/// Where the kernel may ask a server, a thread adds the watch. Meanwhile the loop may have removed it again, as the last one of another follower, or
/// have passed over an event of it. So the number that a thread has got is registered, and counts once the kernel, asked again, names the same.
final class WatchAddition {
    /// What is to be watched.
    enum Target {
        case directory(File.Path)
        /// An open file; by its path where there is no /proc.
        case file(Descriptor, File.Path)
    }

    private let target: Target
    private let instance: InotifyInstance
    private let loop: EventLoop
    /// The number that is registered, or -1.
    @exclusivity(unchecked) private var watch: CInt
    /// Registers a number in the place of another one. Either may be -1.
    private let replace: (_ former: CInt, _ watch: CInt) -> Void

    /// The receiver of the result, until it is called, or until `cancel`.
    @exclusivity(unchecked) private var whenDone: ((Result<CInt, SystemError>) -> Void)?
    @exclusivity(unchecked) private var call: BlockingCall<CInt>?

    /// - Parameters:
    ///   - former: the number of the same name's watch so far, or -1.
    ///   - whenDone: receives the number of the watch, or the error of `inotify_add_watch`, `fcntl` or `pthread_create`.
    init(
        of target: Target, to instance: InotifyInstance, on loop: EventLoop, replacing former: CInt,
        _ replace: @escaping (_ former: CInt, _ watch: CInt) -> Void,
        whenDone: @escaping (Result<CInt, SystemError>) -> Void
    ) {
        self.target = target
        self.instance = instance
        self.loop = loop
        watch = former
        self.replace = replace
        self.whenDone = whenDone
    }

    /// True if the receiver got the result.
    var isDone: Bool { whenDone == nil }

    /// Adds the watch. The result comes before this returns unless a thread adds it.
    func begin() {
        mayWait ? addOnThread() : addNow()
    }

    /// Ends the addition. A watch that a thread adds later is removed again.
    func cancel() {
        whenDone = nil
        call?.cancel()
        call = nil
    }

    private var mayWait: Bool {
        switch target {
        case .directory(let path): loop.backend.mayWaitForServer(!path.isKnownLocal)
        case .file(let descriptor, _): loop.backend.mayWaitForServer(descriptor.mayWaitForServer)
        }
    }

    private func addNow() {
        let result =
            switch target {
            case .directory(let path): rx_watch_directory(instance.fd, path.cString)
            case .file(let file, let path): rx_watch_open_file(instance.fd, file.fd, path.cString)
            }
        register(result)
        finish(WatchAddition.result(result))
    }

    private func addOnThread() {
        do throws(SystemError) {
            let tag = loop.tag
            call = BlockingCall(on: loop, in: loop.configuration.files, try addition()) { found in
                guard found >= 0, let loop = LoopRegistry.loop(tag) else { return }
                loop.queue.submitExpress { loop.locals[InotifyInstance.self]?.removeUnused(found) }
            } whenDone: { [self] in
                call = nil
                switch $0 {
                case .success(let found): added(found)
                case .failure(let error): beginWithoutThread(error)
                }
            }
        } catch {
            finish(.failure(error))
        }
    }

    /// What a thread calls.
    private func addition() throws(SystemError) -> () -> CInt {
        let watcher = try DescriptorCopy(of: instance.fd, closedIn: loop.configuration.files)
        switch target {
        case .directory(let path):
            return {
                path.learnMount()
                return rx_watch_directory(watcher.fd, path.cString)
            }
        case .file(let descriptor, let path):
            let file = try DescriptorCopy(of: descriptor.fd, closedIn: loop.configuration.files)
            return { rx_watch_open_file(watcher.fd, file.fd, path.cString) }
        }
    }

    private func added(_ found: CInt) {
        if found < 0 || found == watch {
            register(found)
            return finish(WatchAddition.result(found))
        }
        register(found)
        begin()
    }

    /// Adds the watch on the loop, whatever file system it is on, as the system has no thread for it: the kernel has the path in its memory.
    private func beginWithoutThread(_ error: SystemError) {
        if case .directory(let path) = target, case .failure = FileStatus.look(path, cached: true) {
            return finish(.failure(error))
        }
        addNow()
    }

    private func register(_ found: CInt) {
        let former = watch
        watch = max(found, -1)
        if watch != former { replace(former, watch) }
    }

    private static func result(_ found: CInt) -> Result<CInt, SystemError> {
        found < 0 ? .failure(SystemError(code: -found, operation: "inotify_add_watch")) : .success(found)
    }

    private func finish(_ result: Result<CInt, SystemError>) {
        let whenDone = whenDone.take()
        whenDone?(result)
    }
}
