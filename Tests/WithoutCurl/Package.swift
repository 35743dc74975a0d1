// swift-tools-version: 6.1
import PackageDescription

// The package of a user who leaves libcurl out. `.ci/run without_curl` builds it, and runs its program.
let package = Package(
  name: "WithoutCurl",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "without-curl",
      dependencies: ["Mocking", "Networking"].map { .product(name: $0, package: "Catena") },
      path: "Program")
  ],
  swiftLanguageModes: [.v6]
)
