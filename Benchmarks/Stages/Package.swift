// swift-tools-version: 6.1
import PackageDescription

// A package of its own, as it sees the pipeline's stages by `@testable`, and so has Catena built with
// `-enable-testing`, which nothing else that is measured should be.
let package = Package(
  name: "Stages",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .executableTarget(
      name: "stage-costs",
      dependencies: [.product(name: "Networking", package: "Catena")])
  ],
  swiftLanguageModes: [.v6]
)
