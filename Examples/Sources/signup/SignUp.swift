// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Program
import RxIOUring
import RxSwift
import SignUpForm
import Terminal

@main
struct SignUp: ExampleProgram {
    static let configuration = CommandConfiguration(
        commandName: "signup",
        abstract: "A sign-up form in the terminal.",
        discussion: """
            The service that checks user names and signs up is a pretended one: it takes its time, and knows the names \
            \(PretendedAccounts.takenNames.sorted().joined(separator: ", ")). No data leaves the program.

            Exit codes: 0 after signing up, 2 without a terminal, 130 after Ctrl-C, 143 after SIGTERM, 129 when the \
            terminal is gone. With a variable NO_COLOR in the environment it uses no colors.
            """)

    @Option(help: "The time until the service answers, in milliseconds.")
    var latency = 800

    @Flag(help: "Let every second request to the service fail, the first one included.")
    var failing = false

    @OptionGroup
    var events: BackendOption

    func validate() throws {
        guard (0...60_000).contains(latency) else { throw ValidationError("--latency is between 0 and 60000") }
    }

    func run() async throws {
        let scheduler = IOUringScheduler(name: "signup", backend: events.backend)
        defer { scheduler.shutdown() }
        let terminal = try Terminal.open(scheduler: scheduler)
        let service = PretendedAccounts(latency: .milliseconds(latency), isFailing: failing, scheduler: scheduler)
        let form = SignUpForm(keys: terminal.keys, size: terminal.size, service: service)
        let name = try await terminal.run(form.frames, until: form.signedUp).get()
        print("\(name) has signed up")
    }
}
