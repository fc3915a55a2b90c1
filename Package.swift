// swift-tools-version: 6.2
import PackageDescription

#if os(Linux)
    let eventLoopTargets: [Target] = [
        .target(
            name: "CRxIOUring",
            cSettings: [.define("RX_LIBURING", .when(traits: ["LIBURING"]))],
            // Statically, so that a program starts where liburing is not installed.
            linkerSettings: [.linkedLibrary(":liburing.a", .when(traits: ["LIBURING"]))]),
        .target(name: "RxIOUring", dependencies: ["RxSwift", "CRxIOUring"], exclude: ["Unsupported"]),
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        // A program that tests run, because what they test is about a whole process.
        .executableTarget(
            name: "BackendProbe", dependencies: ["RxIOUring", "CTestSupport"], path: "Tests/BackendProbe"),
        .testTarget(
            name: "RxIOUringTests",
            dependencies: [
                "RxIOUring", "RxBlocking", "RxCocoa", "RxTest", "TestSupport", "CTestSupport", "BackendProbe",
            ]),
    ]
#else
    // There the module says that it is not available.
    let eventLoopTargets: [Target] = [
        .target(name: "RxIOUring", dependencies: ["RxSwift"], sources: ["Unsupported"])
    ]
#endif

let package = Package(
    name: "swift-rx",
    products: [
        .library(name: "RxSwift", targets: ["RxSwift"]),
        .library(name: "RxRelay", targets: ["RxRelay"]),
        .library(name: "RxCocoa", targets: ["RxCocoa"]),
        .library(name: "RxBlocking", targets: ["RxBlocking"]),
        .library(name: "RxTest", targets: ["RxTest"]),
        .library(name: "RxIOUring", targets: ["RxIOUring"]),
    ],
    traits: [
        .trait(
            name: "TRACE_RESOURCES",
            description: "Counts every live observable, sink, subject, disposable and job in Resources.total."
        ),
        .trait(
            name: "LIBURING",
            description: "Builds RxIOUring's io_uring backend; needs liburing-dev. Without it event loops use epoll."
        ),
    ],
    targets: [
        // The processor's pause, and futexes: what Swift cannot express.
        .target(name: "CRxPrimitives"),
        .target(name: "RxPrimitives", dependencies: ["CRxPrimitives"]),
        .target(name: "RxSwift", dependencies: ["RxPrimitives"]),
        .target(name: "RxRelay", dependencies: ["RxSwift"]),
        .target(name: "RxCocoa", dependencies: ["RxSwift", "RxRelay"]),
        .target(name: "RxBlocking", dependencies: ["RxSwift"]),
        .target(name: "RxTest", dependencies: ["RxSwift"]),
        .target(name: "TestSupport", dependencies: ["RxSwift", "RxIOUring", "RxTest"], path: "Tests/TestSupport"),
        .testTarget(name: "RxPrimitivesTests", dependencies: ["RxPrimitives"]),
        .testTarget(name: "RxSwiftTests", dependencies: ["RxSwift", "RxTest", "TestSupport"]),
        .testTarget(name: "RxRelayTests", dependencies: ["RxRelay", "RxTest", "TestSupport"]),
        .testTarget(name: "RxCocoaTests", dependencies: ["RxCocoa", "RxTest", "TestSupport"]),
        .testTarget(name: "RxBlockingTests", dependencies: ["RxBlocking", "RxTest", "TestSupport"]),
        .testTarget(name: "RxTestTests", dependencies: ["RxTest", "TestSupport"]),
        .testTarget(
            name: "DocumentationTests", dependencies: ["RxSwift", "RxRelay", "RxCocoa", "RxTest", "TestSupport"],
            // Without this, Swift 5 warns of `reduce(1, accumulator: +)`: that a static function be Sendable is Swift 6's idea.
            swiftSettings: [.enableUpcomingFeature("InferSendableFromCaptures")]),
        .testTarget(
            name: "LawsTests", dependencies: ["RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxIOUring", "TestSupport"]),
    ] + eventLoopTargets,
    // Elements need not be Sendable, as in RxSwift, so crossing threads with them cannot be checked by the compiler.
    swiftLanguageModes: [.v5]
)

// Code of these two is inlined into what stands above them, with the layout of their types, also where it does not name them.
// swift build compiles a module again only when one changed that it is declared to depend on.
for target in package.targets where !target.name.hasPrefix("RxPrimitives") && !target.name.hasPrefix("C") {
    for inlined in ["RxPrimitives", "RxSwift"] where inlined != target.name {
        let isDeclared = target.dependencies.contains { dependency in
            if case .byNameItem(inlined, _) = dependency { true } else { false }
        }
        if !isDeclared { target.dependencies.append(.byName(name: inlined)) }
    }
}
