// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

extension ChildProcess {
    /// A program to run, with its arguments, environment and working directory.
    package struct Command {
        package var executable: String
        package var arguments: [String] = []
        package var environment: [String: String]?
        package var workingDirectory: String?

        package init(
            executable: String, arguments: [String] = [], environment: [String: String]? = nil,
            workingDirectory: String? = nil
        ) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
            self.workingDirectory = workingDirectory
        }
    }
}

/// A program that was just started, and this process's ends of its pipes. Used by one thread at a time.
final class StartedCommand {
    let pid: pid_t
    @exclusivity(unchecked) var input: OwnedDescriptor?
    @exclusivity(unchecked) var output: OwnedDescriptor?
    @exclusivity(unchecked) var errorOutput: OwnedDescriptor?

    init(
        pid: pid_t, input: consuming OwnedDescriptor?, output: consuming OwnedDescriptor?,
        errorOutput: consuming OwnedDescriptor?
    ) {
        self.pid = pid
        self.input = input
        self.output = output
        self.errorOutput = errorOutput
    }
}

extension ChildProcess.Command {
    /// Starts the program; returns when the system has loaded it, which may take as long as its file system does.
    ///
    /// - Parameter hasInput: if true, standard input is a pipe; else there is nothing to read.
    func start(hasInput: Bool) throws(IOError) -> StartedCommand {
        let input = try makeInput(hasInput)
        let output = try Pipe()
        let errorOutput = try Pipe()
        let pid = try spawn(input.readEnd.fd, output.writeFD, errorOutput.writeFD)
        return StartedCommand(
            pid: pid, input: input.takeWriteEnd(), output: output.takeReadEnd(), errorOutput: errorOutput.takeReadEnd())
    }

    private func spawn(_ input: CInt, _ output: CInt, _ errorOutput: CInt) throws(IOError) -> pid_t {
        let words = [executable] + arguments
        let variables = environment?.map { "\($0.key)=\($0.value)" }
        for text in words + (variables ?? []) + [workingDirectory ?? ""] where text.containsNUL {
            // The text would end at the NUL for the kernel.
            throw IOError(code: EINVAL, operation: "posix_spawn", subject: executable)
        }
        let argumentList = CStrings(words)
        let environmentList = variables.map(CStrings.init)
        var pid: pid_t = 0
        let error = rx_spawn(
            executable, argumentList.pointers, environmentList?.pointers, workingDirectory, input, output, errorOutput,
            &pid)
        withExtendedLifetime((argumentList, environmentList)) {}
        if error == 0 { return pid }
        // The system does not report which of the two failed.
        if let workingDirectory, access(workingDirectory.isEmpty ? "" : workingDirectory + "/.", X_OK) != 0 {
            throw IOError(code: errno, operation: "chdir", subject: workingDirectory)
        }
        throw IOError(code: error, operation: "posix_spawn", subject: executable)
    }

    private func makeInput(_ hasInput: Bool) throws(IOError) -> Pipe {
        if hasInput { return try Pipe() }
        let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if fd < 0 { throw IOError(code: errno, operation: "open", subject: "/dev/null") }
        return Pipe(readEnd: OwnedDescriptor(fd))
    }
}

/// The two ends of a pipe. An end that is not taken is closed.
private struct Pipe: ~Copyable {
    let readEnd: OwnedDescriptor
    let writeEnd: OwnedDescriptor?
    let writeFD: CInt

    init() throws(IOError) {
        var ends: (CInt, CInt) = (-1, -1)
        let error = rx_pipe(&ends.0, &ends.1, 0)
        if error != 0 { throw IOError(code: error, operation: "pipe2", subject: "pipe") }
        readEnd = OwnedDescriptor(ends.0)
        writeEnd = OwnedDescriptor(ends.1)
        writeFD = ends.1
    }

    /// Creates a read end without another end.
    init(readEnd: consuming OwnedDescriptor) {
        self.readEnd = readEnd
        writeEnd = nil
        writeFD = -1
    }

    consuming func takeReadEnd() -> OwnedDescriptor { readEnd }

    consuming func takeWriteEnd() -> OwnedDescriptor? { writeEnd }
}

/// C strings, in a list that ends in null.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (place, text) in texts.enumerated() { pointers[place] = strdup(text) }
        pointers[count] = nil
    }

    deinit {
        for place in 0..<count { free(pointers[place]) }
        pointers.deallocate()
    }
}
