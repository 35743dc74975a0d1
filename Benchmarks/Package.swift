// swift-tools-version: 6.1
import PackageDescription

let networking: Target.Dependency = .product(name: "Networking", package: "Catena")
let tracing: Target.Dependency = .product(name: "NetworkingTracing", package: "Catena")
let oauth2: Target.Dependency = .product(name: "NetworkingOAuth2", package: "Catena")
// SwiftPM compiles a target again after changes of the modules that it depends on, but not after changes of
// those that they import.
let catena: [Target.Dependency] =
  [networking] + ["Mocking", "Promises"].map { .product(name: $0, package: "Catena") }
let libcurl: LinkerSetting = .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux]))

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [.library(name: "LoadSupport", targets: ["LoadSupport"])],
  dependencies: [
    .package(name: "Catena", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "CBlackHole"),
    .target(name: "BenchmarkSupport"),
    .executableTarget(
      name: "PromiseBenchmarks",
      dependencies: [
        "BenchmarkSupport",
        "CAllocations",
        "CBlackHole",
        .product(name: "Promises", package: "Catena"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "RequestAllocations",
      dependencies: ["BenchmarkSupport", "CAllocations", "LoadSupport"] + catena),
    .executableTarget(
      name: "RouteBenchmarks",
      dependencies: ["BenchmarkSupport", .product(name: "MockingStubs", package: "Catena")] + catena
    ),

    // Programs that Benchmarks/run starts, one process for each measurement.
    .target(name: "CInstructions"),
    .target(name: "LoadSupport", dependencies: ["CInstructions"]),
    .executableTarget(
      name: "catena-load", dependencies: ["LoadSupport", oauth2, tracing] + catena),
    .executableTarget(name: "urlsession-load", dependencies: ["LoadSupport"]),
    .executableTarget(
      name: "curl-loop", dependencies: ["CInstructions"], linkerSettings: [libcurl]),
    .executableTarget(name: "bench-server"),
    .executableTarget(
      name: "mock-server-load",
      dependencies: ["CInstructions", "LoadSupport"]
        + ["MockingContracts", "MockingTemplates"].map { .product(name: $0, package: "Catena") }
        + catena),

    // Programs to measure the binary size and the time to the first response.
    .executableTarget(name: "hello-networking", dependencies: [networking]),
    .executableTarget(name: "hello-urlsession"),
    .executableTarget(name: "hello-swift"),
  ],
  swiftLanguageModes: [.v6]
)
