// SPDX-License-Identifier: Apache-2.0

import CSimulator
import Glibc

rx_sim_settle(CommandLine.argc, CommandLine.unsafeArgv) { request in Child.run(request!.pointee) }

guard let settings = Settings(Array(CommandLine.arguments.dropFirst())) else {
    print(Settings.help)
    exit(0)
}
setvbuf(stdout, nil, _IOLBF, 0)
exit(Fuzzing(settings).run())
