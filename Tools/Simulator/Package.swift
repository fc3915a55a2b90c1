// swift-tools-version: 6.2
import PackageDescription

// The sources of the library are compiled here, through symbolic links, with RX_MODEL_CHECK, as in Tools/Explorer. As targets of this package
// they share its package name, so that the fuzzer reaches `package` declarations.

let simulated: [SwiftSetting] = [.define("RX_MODEL_CHECK"), .define("TRACE_RESOURCES")]

let package = Package(
    name: "Simulator",
    targets: [
        .target(name: "CSimulator", cSettings: [.unsafeFlags(["-O2"])]),
        .target(name: "CRxPrimitives"),
        .target(name: "CRxIOUring"),
        // The files left out have counterparts beside the link; what Tools/Explorer has as well is in Tools/Model.
        .target(
            name: "RxPrimitives", dependencies: ["CSimulator", "CRxPrimitives"],
            exclude: ["Mutex", "Parker", "ThreadLocal", "MonotonicClock"].map { "Library/\($0).swift" },
            swiftSettings: simulated),
        .target(name: "RxSwift", dependencies: ["RxPrimitives", "CSimulator"], swiftSettings: simulated),
        .target(
            name: "RxIOUring", dependencies: ["RxPrimitives", "RxSwift", "CRxIOUring", "CSimulator"],
            exclude: ["Library/Unsupported"], swiftSettings: simulated),
        .executableTarget(
            name: "IOFuzz",
            dependencies: ["CSimulator", "RxPrimitives", "RxSwift", "RxIOUring"], swiftSettings: simulated),
    ],
    swiftLanguageModes: [.v5]
)
