// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// Reports changes to a name in a directory, and to the content of files, by inotify. Used only on the loop thread.
///
/// Events are only hints: their receiver looks at the files itself. So it does not matter which ones the kernel has merged.
final class FileWatcher {
    /// The sum of a series of events.
    struct Changes {
        /// True if another file may have the name.
        var isAboutPath = false
        /// True if the directory may have moved, or be gone.
        var isDirectoryLost = false
        /// The error for which the directory is not watched any more, if it has moved or is gone; else 0.
        var directoryError: CInt = 0
        /// The error for which nothing is reported any more, or 0.
        var error: CInt = 0

        mutating func add(_ other: Changes) {
            isAboutPath = isAboutPath || other.isAboutPath
            isDirectoryLost = isDirectoryLost || other.isDirectoryLost
        }
    }

    /// The watched name in the directory.
    let name: [UInt8]
    private let path: File.Path
    private let directoryPath: File.Path
    private let loop: EventLoop
    private let heard: (Changes) -> Void

    /// The instance; nil before `begin` and from `end` on.
    @exclusivity(unchecked) private var instance: InotifyInstance?
    @exclusivity(unchecked) private var directory: CInt = -1
    @exclusivity(unchecked) private var files: Set<CInt> = []

    /// - Parameters:
    ///   - path: the name to watch. Files are watched separately.
    ///   - heard: called with the changes when something has happened.
    init(_ path: File.Path, on loop: EventLoop, heard: @escaping (Changes) -> Void) {
        self.path = path
        self.loop = loop
        self.heard = heard
        let parts = path.splitAtLastSlash
        name = parts.name.bytes
        directoryPath = parts.directory
    }

    /// Starts to watch, or returns the error for which that is impossible.
    func begin() -> IOError? {
        do throws(IOError) {
            let instance = try InotifyInstance.use(on: loop, for: path)
            self.instance = instance
            directory = instance.watchDirectory(directoryPath, for: self)
        } catch {
            return error
        }
        if directory >= 0 { return nil }
        let error = IOError(code: -directory, operation: "inotify_add_watch", subject: directoryPath.description)
        end()
        return error
    }

    func end() {
        guard let instance else { return }
        self.instance = nil
        for watch in files { instance.removeFile(watch, of: self) }
        files = []
        if directory >= 0 { instance.removeDirectory(directory, of: self) }
        directory = -1
        instance.endUse()
    }

    /// Watches an open file, and returns the number of the watch, or a negated errno.
    func watch(_ file: CInt, _ path: File.Path) -> CInt {
        guard let instance else { return -EBADF }
        let watch = instance.watchFile(file, path, for: self)
        if watch >= 0 { files.insert(watch) }
        return watch
    }

    /// Ends the watch of a file.
    func forget(_ watch: CInt) {
        if files.remove(watch) != nil { instance?.removeFile(watch, of: self) }
    }

    /// Handles events. The receivers of the same events that were told before may have ended this watcher.
    func changed(_ changes: Changes, _ teller: InotifyInstance) {
        guard let instance, instance === teller else { return }
        var changes = changes
        if changes.isDirectoryLost { changes.directoryError = watchDirectoryAgain().error }
        heard(changes)
    }

    /// Watches the directory that has the directory's name by now. Returns whether it is another one, and 0 or an errno.
    func watchDirectoryAgain() -> (isOther: Bool, error: CInt) {
        guard let instance else { return (false, 0) }
        let former = directory
        directory = instance.watchDirectory(directoryPath, for: self)
        if former >= 0, former != directory { instance.removeDirectory(former, of: self) }
        return (former != directory, directory < 0 ? -directory : 0)
    }
}
