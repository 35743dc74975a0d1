// swift-tools-version: 6.2
import PackageDescription

// A separate package, because default isolation needs newer tools than the root package. It has code of
// an app as its author would write it. The target App has `@MainActor` at its types; it is compiled with
// the settings of a new app project, and, with APP_ISOLATION=nonisolated in the environment, with those
// of a new package. The code of NewApp relies on the default isolation, without annotations.
let newApp: [SwiftSetting] = [
  .defaultIsolation(MainActor.self),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let app = Context.environment["APP_ISOLATION"] == "nonisolated" ? [] : newApp
let modules: [Target.Dependency] = [
  .product(name: "Mocking", package: "Catena"),
  .product(name: "Networking", package: "Catena"),
]

let package = Package(
  name: "Isolation",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .testTarget(name: "App", dependencies: modules, path: "App", swiftSettings: app),
    .testTarget(
      name: "NewApp", dependencies: modules, path: "NewApp", swiftSettings: newApp),
  ],
  swiftLanguageModes: [.v6]
)
