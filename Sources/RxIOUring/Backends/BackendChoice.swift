// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// The choice of a loop's backend.
enum BackendChoice {
    /// The environment variable that names the backend if the program does not.
    static let variable = "RX_IO_BACKEND"

    /// Makes the backend of a loop, or returns the error for which there can be none.
    static func make(_ configuration: IOUringScheduler.Configuration) -> Result<Backend, SystemError> {
        var error: CInt = 0
        if let simulation = configuration.simulation ?? (configuration.backend == nil ? wantedSimulation : nil) {
            if let simulated = SimulatedBackend(simulation, error: &error) { return .success(simulated) }
            return .failure(SystemError(code: error, operation: "eventfd"))
        }
        if configuration.backend ?? wanted ?? .uring == .uring {
            if let ring = URingBackend(configuration, error: &error) { return .success(ring) }
            IOHooks.reportOnce(.fallback, whyNotURing(error))
        }
        return EpollBackend.make()
    }

    private static var value: String? { rx_environment(variable).map { String(cString: $0) } }

    private static var wantedSimulation: Simulation? { value.flatMap(Simulation.init(parsing:)) }

    private static var wanted: IOUringScheduler.Backend? {
        guard let value, !value.isEmpty else { return nil }
        if let backend = IOUringScheduler.Backend(rawValue: value) { return backend }
        IOHooks.reportOnce(
            .variable, "\(variable) is '\(value)'; it can be 'uring' or 'epoll'. The best backend is used.")
        return nil
    }

    private static func whyNotURing(_ error: CInt) -> String {
        let why: String
        switch error {
        case ENOSYS where !rx_ring_is_built():
            why = "built without the trait LIBURING of swift-rx (install liburing-dev, then build with it)"
        case ENOSYS: why = "the kernel has no io_uring, or one that is too old (5.11 is needed)"
        case EPERM, EACCES:
            why = "io_uring is forbidden here (a container's seccomp profile, or the sysctl kernel.io_uring_disabled)"
        case ENOMEM: why = "there is not enough memory that may be locked ('ulimit -l')"
        case EMFILE, ENFILE: why = "too many files are open ('ulimit -n')"
        default: why = "\(String(cString: strerror(error))) (errno \(error))"
        }
        return "event loops use epoll: \(why)"
    }
}
