// swift-tools-version: 6.1
import PackageDescription

// The programs of `Benchmarks/run --compare`. A separate package, because it needs no peers. `Sources` is a
// link to the sources of the benchmarks.
let package = Package(
  name: "Compare",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .target(name: "CInstructions"),
    .target(name: "LoadSupport", dependencies: ["CInstructions"]),
    // SwiftPM compiles a target again after changes of the modules that are listed here, but not after
    // changes of those that they import.
    .executableTarget(
      name: "catena-load",
      dependencies: ["LoadSupport"]
        + ["Mocking", "Networking", "NetworkingOAuth2", "NetworkingTracing", "Promises"].map {
          .product(name: $0, package: "Catena")
        }),
    .executableTarget(name: "bench-server"),
    .executableTarget(
      name: "mock-server-load",
      dependencies: ["CInstructions", "LoadSupport"]
        + ["Mocking", "MockingContracts", "MockingTemplates", "Networking", "Promises"].map {
          .product(name: $0, package: "Catena")
        }),
  ],
  swiftLanguageModes: [.v6]
)
