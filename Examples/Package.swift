// swift-tools-version: 6.1
import PackageDescription

// Programs that use the library as a program of a user does, and their tests. The package Boards is an app.
let settings: [SwiftSetting] = [
  "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
].map { .enableUpcomingFeature($0) }

/// A library of the root package.
func library(_ name: String) -> Target.Dependency {
  .product(name: name, package: "Catena")
}

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(name: "Catena", path: "..")],
  targets: [
    .executableTarget(
      name: "first-chain", dependencies: [library("Promises")], path: "FirstChain",
      swiftSettings: settings),
    .executableTarget(
      name: "shop", dependencies: [library("Mocking"), library("MockingStubs")],
      path: "Shop/Client",
      swiftSettings: settings),
    .testTarget(
      name: "ShopTests", dependencies: ["shop", library("CatenaTesting"), library("MockingStubs")],
      path: "Shop/Tests",
      swiftSettings: settings),
    .executableTarget(
      name: "fetch", dependencies: [library("Networking"), library("NetworkingTransfers")],
      path: "Fetch/Program",
      swiftSettings: settings),
    .testTarget(
      name: "FetchTests",
      dependencies: ["fetch", library("Mocking"), library("NetworkingTransfers")],
      path: "Fetch/Tests",
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
