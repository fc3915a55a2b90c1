// swift-tools-version: 6.2
import PackageDescription

// Programs as users of RxSwift write them, compiled in both language modes. Tools/clients builds them.
let products: [Target.Dependency] = ["RxSwift", "RxRelay", "RxCocoa", "RxBlocking", "RxTest"].map {
    .product(name: $0, package: "swift-rx")
}

let package = Package(
    name: "clients",
    dependencies: [.package(name: "swift-rx", path: "../..")],
    targets: [
        .target(name: "Swift5", dependencies: products, swiftSettings: [.swiftLanguageMode(.v5)]),
        // The same files: Sources/Swift6 is a link.
        .target(name: "Swift6", dependencies: products, swiftSettings: [.swiftLanguageMode(.v6)]),
        // Code with actors, which has to compile without a warning; the same files four times.
        .target(name: "Modern", dependencies: products, swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "ModernNonsending", dependencies: products,
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .target(
            name: "ModernMainActor", dependencies: products,
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        .target(
            name: "Modern5", dependencies: products,
            swiftSettings: [
                .swiftLanguageMode(.v5), .enableUpcomingFeature("StrictConcurrency"),
                .enableUpcomingFeature("InferSendableFromCaptures"),
            ]),
    ]
)
