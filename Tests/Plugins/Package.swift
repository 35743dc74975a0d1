// swift-tools-version: 6.1
import PackageDescription

// The package of a user of both plugins. `.ci/run plugins` builds it, plants faults in its files, and runs its program.
let package = Package(
  name: "Plugins",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "Catena", path: "../..", traits: [.defaults, "CheckStubs"])],
  targets: [
    .executableTarget(
      name: "shop-in-memory",
      dependencies: [.product(name: "MockingStubs", package: "Catena")],
      path: "Shop", resources: [.copy("stubs"), .copy("openapi.yaml")],
      plugins: [.plugin(name: "CheckStubs", package: "Catena")])
  ],
  swiftLanguageModes: [.v6]
)
