// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Glibc

/// A program that exits with code 2 for arguments that it does not accept, as for everything else that it cannot work with.
///
/// The parser's own code is 64.
public protocol ExampleProgram: AsyncParsableCommand {}

extension ExampleProgram {
    /// Runs the program.
    public static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                // The parser's own, such as --help.
                try command.run()
            }
        } catch {
            if exitCode(for: error) != .validationFailure { exit(withError: error) }
            Console.report(fullMessage(for: error))
            Glibc.exit(2)
        }
    }
}
