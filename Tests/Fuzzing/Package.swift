// swift-tools-version: 6.1
import PackageDescription

// A separate package, because it is built with libFuzzer, the address sanitizer and
// `-enable-testing`, which must not affect the other builds. `Tests/Fuzzing/run` builds and runs it.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        .product(name: "Mocking", package: "Catena"),
        .product(name: "MockingContracts", package: "Catena"),
        .product(name: "MockingRecordings", package: "Catena"),
        .product(name: "MockingStubs", package: "Catena"),
        .product(name: "MockingTemplates", package: "Catena"),
        .product(name: "Networking", package: "Catena"),
        .product(name: "NetworkingStreams", package: "Catena"),
        .product(name: "NetworkingTracing", package: "Catena"),
        .product(name: "NetworkingXML", package: "Catena"),
        .product(name: "Promises", package: "Catena"),
      ],
      swiftSettings: [.enableUpcomingFeature("ExistentialAny")])
  ],
  swiftLanguageModes: [.v6]
)
