// swift-tools-version: 6.1
import PackageDescription

// A separate package, because only the comparison needs Yams. It is built in the debug configuration, for
// `@testable`. `python3 -m differential yaml` builds and runs it.
let package = Package(
  name: "YAMLDifferential",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Catena", path: "../../.."),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
  ],
  targets: [
    .executableTarget(
      name: "yaml-differential",
      dependencies: [
        .product(name: "MockingContracts", package: "Catena"),
        .product(name: "Networking", package: "Catena"),
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: [.enableUpcomingFeature("ExistentialAny")])
  ],
  swiftLanguageModes: [.v6]
)
