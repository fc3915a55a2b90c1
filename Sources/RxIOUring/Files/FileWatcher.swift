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
        /// What became of the watch of the directory, if it was added again: the error for which it is not watched any more.
        var directory: Result<CInt, SystemError>?
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
    @exclusivity(unchecked) private var directoryAddition: WatchAddition?
    /// True until the directory is watched for the first time. The receiver then looks at everything.
    @exclusivity(unchecked) private var isBeginning = true
    /// True if the directory was lost while its watch was being added.
    @exclusivity(unchecked) private var isLostAgain = false
    /// How many open files have each of the watches: a file that takes its name back has one watch.
    @exclusivity(unchecked) private var files: [CInt: Int] = [:]
    @exclusivity(unchecked) private var fileAddition: WatchAddition?

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

    /// Starts to watch.
    ///
    /// - Parameter whenDone: receives the error for which that is impossible, or nil. Called before this returns unless a thread has to add the watch.
    func begin(whenDone: @escaping (IOError?) -> Void) {
        do throws(IOError) {
            instance = try InotifyInstance.use(on: loop, for: path)
        } catch {
            return whenDone(error)
        }
        addDirectory { [self] in
            isBeginning = false
            guard case .failure(let error) = $0 else { return whenDone(nil) }
            end()
            whenDone(error.ioError(subject: directoryPath.description))
        }
    }

    func end() {
        guard let instance else { return }
        self.instance = nil
        directoryAddition?.cancel()
        directoryAddition = nil
        fileAddition?.cancel()
        fileAddition = nil
        for watch in files.keys { instance.removeFile(watch, of: self) }
        files = [:]
        if directory >= 0 { instance.removeDirectory(directory, of: self) }
        directory = -1
        instance.endUse()
    }

    /// Watches an open file. One at a time.
    ///
    /// - Parameter whenDone: receives the number of the watch. Called before this returns unless a thread has to add the watch.
    func watch(_ file: Descriptor, _ path: File.Path, whenDone: @escaping (Result<CInt, SystemError>) -> Void) {
        guard let instance else { return }
        let addition = WatchAddition(
            of: .file(file, path), to: instance, on: loop, replacing: -1,
            { [self] former, watch in
                if watch >= 0 {
                    files[watch, default: 0] += 1
                    instance.addFile(watch, for: self)
                }
                if former >= 0 { forget(former) }
            },
            whenDone: { [self] in
                fileAddition = nil
                whenDone($0)
            })
        addition.begin()
        if !addition.isDone { fileAddition = addition }
    }

    /// Ends the watch of a file.
    func forget(_ watch: CInt) {
        guard let count = files[watch] else { return }
        files[watch] = count > 1 ? count - 1 : nil
        if count == 1 { instance?.removeFile(watch, of: self) }
    }

    /// Handles events. The receivers of the same events that were told before may have ended this watcher.
    func changed(_ changes: Changes, _ teller: InotifyInstance) {
        guard let instance, instance === teller else { return }
        if changes.isDirectoryLost, changes.error == 0 { return watchDirectoryAgain(isLost: true) }
        if !isBeginning || changes.error != 0 { heard(changes) }
    }

    /// Watches the directory that has the directory's name by now, and tells the receiver if it is another one.
    ///
    /// - Parameter isLost: true if the receiver is to be told in any case.
    func watchDirectoryAgain(isLost: Bool = false) {
        if directoryAddition != nil {
            isLostAgain = isLostAgain || isLost
            return
        }
        let former = directory
        addDirectory { [self] in
            if isLost || directory != former { heard(Changes(isAboutPath: true, directory: $0)) }
        }
    }

    private func addDirectory(whenDone: @escaping (Result<CInt, SystemError>) -> Void) {
        guard let instance else { return }
        let addition = WatchAddition(
            of: .directory(directoryPath), to: instance, on: loop, replacing: directory,
            { [self] former, watch in
                directory = watch
                if watch >= 0 { instance.addDirectory(watch, for: self) }
                if former >= 0 { instance.removeDirectory(former, of: self) }
            },
            whenDone: { [self] in
                directoryAddition = nil
                whenDone($0)
                if isLostAgain {
                    isLostAgain = false
                    watchDirectoryAgain(isLost: true)
                }
            })
        addition.begin()
        if !addition.isDone { directoryAddition = addition }
    }
}
