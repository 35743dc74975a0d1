// swift-tools-version: 6.1
import PackageDescription

// The steps of Tests/DEVICE.md: a program for Macs, and an app for Macs and phones, which project.yml makes a project of.
let settings: [SwiftSetting] = [
  "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
].map { .enableUpcomingFeature($0) }
let modules =
  ["Networking", "NetworkingOAuth2", "NetworkingStreams", "NetworkingTransfers"]
  + ["NetworkingValues", "Promises"]

let package = Package(
  name: "Device",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "DeviceSteps", targets: ["DeviceSteps"])],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .target(
      name: "DeviceSteps", dependencies: modules.map { .product(name: $0, package: "Catena") },
      swiftSettings: settings),
    .executableTarget(
      name: "device-steps", dependencies: ["DeviceSteps"], path: "Sources/Program",
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// The project of Xcode compiles the app; this target lets CI check its types.
#if !os(Linux)
  package.targets.append(
    .executableTarget(
      name: "DeviceApp", dependencies: ["DeviceSteps"], path: "Sources/App", swiftSettings: settings
    ))
#endif
