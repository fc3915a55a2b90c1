// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "swift-rx",
    products: [
        .library(name: "RxSwift", targets: ["RxSwift"]),
        .library(name: "RxTest", targets: ["RxTest"]),
    ],
    traits: [
        .trait(
            name: "TRACE_RESOURCES",
            description: "Counts every live observable, sink, subject, disposable and job in Resources.total."
        )
    ],
    targets: [
        .target(name: "RxPrimitives"),
        .target(name: "RxSwift", dependencies: ["RxPrimitives"]),
        .target(name: "RxTest", dependencies: ["RxSwift"]),
        .testTarget(name: "RxPrimitivesTests", dependencies: ["RxPrimitives"]),
        .testTarget(name: "RxTestTests", dependencies: ["RxTest"]),
        .testTarget(name: "RxSwiftTests", dependencies: ["RxSwift", "RxTest"]),
    ],
    // Elements need not be Sendable, as in RxSwift, so crossing threads with them cannot be checked by the compiler.
    swiftLanguageModes: [.v5]
)
