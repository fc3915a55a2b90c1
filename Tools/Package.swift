// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The package under test. Another checkout of this one can be named, for example the one a change is made in.
let root = ProcessInfo.processInfo.environment["RX_ROOT"] ?? ".."

let package = Package(
    name: "Tools",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "rx-fuzz", targets: ["RxFuzz"])],
    dependencies: [
        .package(name: "swift-rx", path: root),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        // Descriptions of pipelines as text. Knows nothing of Rx.
        .target(name: "PipelineModel"),
        // Runs descriptions, with public API only: Tools/rx-fuzz also compiles it against the other package.
        .executableTarget(
            name: "PipelineRunner", dependencies: ["PipelineModel", rx("RxSwift"), rx("RxRelay"), rx("RxTest")],
            // The package to compare with has no elements that say how much they weigh.
            swiftSettings: [.define("PRESSURE")]),
        // Generates descriptions, has runners run them, compares and shrinks.
        .target(name: "PipelineFuzzing", dependencies: ["PipelineModel"]),
        .executableTarget(
            name: "RxFuzz",
            dependencies: [
                "PipelineFuzzing", "PipelineModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(name: "PipelineFuzzingTests", dependencies: ["PipelineFuzzing", "PipelineModel"]),
    ],
    swiftLanguageModes: [.v5]
)

func rx(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-rx") }
