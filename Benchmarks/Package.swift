// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The library. Another checkout of it can be named, to count what it costs there (Tools/costs).
let root = ProcessInfo.processInfo.environment["RX_ROOT"] ?? ".."

/// A suite for ordo-one/benchmark: histograms of one run, and comparison with a stored baseline.
func suite(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "RxSwift", package: "swift-rx"),
            .product(name: "OpenCombine", package: "OpenCombine"),
            .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            .product(name: "Benchmark", package: "benchmark"),
        ],
        path: "Benchmarks/\(name)",
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    )
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "LIBURING", description: "The io_uring backend of RxIOUring; needs liburing-dev.")],
    dependencies: [
        .package(
            name: "swift-rx", path: root, traits: [.trait(name: "LIBURING", condition: .when(traits: ["LIBURING"]))]),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        // Without its traits it needs no interposers; its malloc counts then read 0, so RxBench counts by itself.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "CMallocCount"),
        .target(name: "CPlainPeers"),
        .target(
            name: "NIOHost",
            dependencies: [
                .product(name: "RxSwift", package: "swift-rx"), .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "NIOHostCheck",
            dependencies: [
                "NIOHost",
                .product(name: "RxTest", package: "swift-rx"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "RxBench",
            dependencies: [
                "NIOHost",
                "CMallocCount",
                "CPlainPeers",
                .product(name: "RxSwift", package: "swift-rx"),
                .product(name: "RxCocoa", package: "swift-rx"),
                .product(name: "RxIOUring", package: "swift-rx"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(name: "CCostMarks"),
        .executableTarget(
            name: "RxCosts",
            dependencies: ["CCostMarks", "CMallocCount", .product(name: "RxSwift", package: "swift-rx")]),
        suite("Subjects"),
        suite("Operators"),
        suite("Hops"),
        suite("Timers"),
    ],
    swiftLanguageModes: [.v5]
)
