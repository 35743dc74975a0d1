// swift-tools-version: 6.1
import PackageDescription

// A separate package, because it has a dependency. It compiles the module PromisesCombine on
// Linux too: the target Combine re-exports OpenCombine, which has the same declarations. On Apple
// platforms the tests use the system's Combine.
#if os(Linux)
  let dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0")
  ]
  let combine: [Target] = [
    .target(
      name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")],
      path: "Combine")
  ]
#else
  let dependencies: [Package.Dependency] = []
  let combine: [Target] = []
#endif
let names = combine.map { Target.Dependency.target(name: $0.name) }
let settings: [SwiftSetting] = [
  "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
].map { .enableUpcomingFeature($0) }

let package = Package(
  name: "CombineTests",
  platforms: [.macOS(.v15)],
  dependencies: dependencies,
  targets: combine + [
    // Links to the folders in Sources and Tests.
    .target(name: "CatenaSystem", path: "CatenaSystem", swiftSettings: settings),
    .target(
      name: "Promises", dependencies: ["CatenaSystem"], path: "Promises", swiftSettings: settings),
    .target(
      name: "PromisesCombine", dependencies: ["Promises"] + names, path: "PromisesCombine",
      swiftSettings: settings),
    .target(name: "ThreadSanitizerSupport", path: "ThreadSanitizerSupport"),
    .testTarget(
      name: "CombineTests",
      dependencies: ["Promises", "PromisesCombine", "ThreadSanitizerSupport"] + names,
      path: "Tests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
