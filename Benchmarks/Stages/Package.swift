// swift-tools-version: 6.1
import PackageDescription

// A separate package, because it imports the pipeline's stages with `@testable`. Catena is built with
// `-enable-testing` for it, which must not affect the other measurements.
let package = Package(
  name: "Stages",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .executableTarget(
      name: "stage-costs",
      dependencies: [
        "Networking", "NetworkingInterceptors", "NetworkingOAuth2", "Promises",
      ].map { .product(name: $0, package: "Catena") })
  ],
  swiftLanguageModes: [.v6]
)
