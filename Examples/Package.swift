// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "alertd", targets: ["alertd"]),
        .executable(name: "dashboard", targets: ["dashboard"]),
        .executable(name: "pubsub-server", targets: ["pubsub-server"]),
        .executable(name: "pubsub-load", targets: ["pubsub-load"]),
        .executable(name: "logfollow", targets: ["logfollow"]),
        .executable(name: "signup", targets: ["signup"]),
        .executable(name: "search", targets: ["search"]),
    ],
    traits: [.trait(name: "LIBURING", description: "The io_uring backend of RxIOUring; needs liburing-dev.")],
    dependencies: [
        .package(
            name: "swift-rx", path: "..", traits: [.trait(name: "LIBURING", condition: .when(traits: ["LIBURING"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        // Percentiles of latencies, in the memory of one histogram however many are recorded.
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    ],
    targets: [
        // The decisions of the programs, as structs and functions without sockets or threads. The unit tests test these.
        .target(name: "PubSub"),
        .target(name: "LogLines"),
        // An option that all programs have, and the way in which they end.
        .target(name: "Program", dependencies: [rx("RxSwift"), rx("RxIOUring"), arguments]),

        // Measurements in, alerts out: observables and a scheduler, no socket.
        .target(name: "Alerting", dependencies: [rx("RxSwift")], swiftSettings: swift6),
        .executableTarget(
            name: "alertd", dependencies: ["Alerting", "Program", rx("RxSwift"), rx("RxIOUring"), arguments],
            swiftSettings: swift6),
        .testTarget(
            name: "AlertingTests", dependencies: ["Alerting", rx("RxSwift"), rx("RxTest")], swiftSettings: swift6),

        // Files as streams of rates: what logfollow prints and the dashboard draws.
        .target(
            name: "LogFollowing", dependencies: ["LogLines", rx("RxSwift"), rx("RxIOUring"), arguments],
            swiftSettings: swift6),
        .target(name: "HTTP", swiftSettings: swift6),
        .executableTarget(
            name: "dashboard",
            dependencies: ["HTTP", "LogFollowing", "LogLines", "Program", rx("RxSwift"), rx("RxIOUring"), arguments],
            resources: [.embedInCode("page.html")], swiftSettings: swift6),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP"], swiftSettings: swift6),

        .executableTarget(
            name: "pubsub-server", dependencies: ["PubSub", "Program", rx("RxSwift"), rx("RxIOUring"), arguments]),
        .executableTarget(
            name: "pubsub-load",
            dependencies: [
                "PubSub", "Program", rx("RxSwift"), rx("RxIOUring"), arguments,
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        .executableTarget(
            name: "logfollow",
            dependencies: ["LogFollowing", "LogLines", "Program", rx("RxSwift"), rx("RxIOUring"), arguments]),

        // Keys, frames and the terminal itself, for the programs with a screen. The main actor and tasks are checked: Swift 6 mode.
        .target(
            name: "Terminal", dependencies: [rx("RxSwift"), rx("RxRelay"), rx("RxCocoa"), rx("RxIOUring"), arguments],
            swiftSettings: swift6),
        .target(
            name: "SignUpForm", dependencies: ["Terminal", rx("RxSwift"), rx("RxRelay"), rx("RxCocoa")],
            swiftSettings: swift6),
        .target(
            name: "TypeAhead", dependencies: ["Terminal", rx("RxSwift"), rx("RxRelay"), rx("RxCocoa")],
            swiftSettings: swift6),
        .executableTarget(
            name: "signup",
            dependencies: ["SignUpForm", "Terminal", "Program", rx("RxSwift"), rx("RxIOUring"), arguments],
            swiftSettings: swift6),
        .executableTarget(
            name: "search",
            dependencies: ["TypeAhead", "Terminal", "Program", rx("RxSwift"), rx("RxIOUring"), arguments],
            swiftSettings: swift6),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Terminal", rx("RxSwift"), rx("RxCocoa"), rx("RxIOUring"), rx("RxTest")],
            swiftSettings: swift6),
        .testTarget(
            name: "SignUpFormTests",
            dependencies: ["SignUpForm", "Terminal", rx("RxSwift"), rx("RxCocoa"), rx("RxTest")],
            swiftSettings: swift6),
        .testTarget(
            name: "TypeAheadTests",
            dependencies: ["TypeAhead", "Terminal", rx("RxSwift"), rx("RxCocoa"), rx("RxTest")],
            swiftSettings: swift6),

        .testTarget(name: "PubSubTests", dependencies: ["PubSub"]),
        .testTarget(name: "LogLinesTests", dependencies: ["LogLines"]),
    ],
    // As in the package above: elements of observables need not be Sendable.
    swiftLanguageModes: [.v5]
)

func rx(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-rx") }

var swift6: [SwiftSetting] { [.swiftLanguageMode(.v6)] }

var arguments: Target.Dependency { .product(name: "ArgumentParser", package: "swift-argument-parser") }
