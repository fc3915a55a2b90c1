// swift-tools-version: 6.2
import PackageDescription

// The sources of the library are compiled here, through symbolic links, with RX_MODEL_CHECK. As targets of this package they share its
// package name, so that scenarios reach `package` declarations, and SwiftPM lets a root package set the flags below.

let checked: [SwiftSetting] = [
    .define("RX_MODEL_CHECK"),
    // The dynamic checks keep the accesses under way in a list per operating system thread; coroutines share one.
    .unsafeFlags(["-enforce-exclusivity=unchecked"]),
    // Calls before accesses to memory, which end in CExplorer/races.c: the driver, which would link the sanitizer's own library, does not see it.
    .unsafeFlags(["-Xfrontend", "-sanitize=thread"]),
]

let package = Package(
    name: "Explorer",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .target(name: "CExplorer", cSettings: [.unsafeFlags(["-O2"])]),
        .target(name: "CRxPrimitives"),
        // The files left out have counterparts beside the link; what Tools/Simulator has as well is in Tools/Model.
        .target(
            name: "RxPrimitives", dependencies: ["CExplorer", "CRxPrimitives"],
            exclude: ["Mutex", "Parker", "ThreadLocal"].map { "Library/\($0).swift" },
            swiftSettings: checked),
        .target(name: "RxSwift", dependencies: ["RxPrimitives"], swiftSettings: checked),
        .executableTarget(
            name: "Explorer",
            dependencies: [
                "CExplorer", "RxPrimitives", "RxSwift",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: checked),
    ],
    swiftLanguageModes: [.v5]
)
