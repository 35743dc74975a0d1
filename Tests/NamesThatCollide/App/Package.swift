// swift-tools-version: 6.1
import PackageDescription

// In place of an Xcode project: targets named as Catena's, and the wrapper.
let package = Package(
  name: "App",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../Wrapper")],
  targets: [
    .target(name: "Networking", path: "Networking"),
    .target(name: "Promises", path: "Promises"),
    .executableTarget(
      name: "wrapped",
      dependencies: ["Networking", "Promises", .product(name: "CatenaClient", package: "Wrapper")],
      path: "Program"),
  ],
  swiftLanguageModes: [.v6]
)
