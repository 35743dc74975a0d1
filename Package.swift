// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "Catena",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [],
  targets: [
    .target(name: "Promises", swiftSettings: settings),
    .target(
      name: "CCatena",
      linkerSettings: [
        .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
        .linkedLibrary(":libz.so.1", .when(platforms: [.linux])),
      ]),
    .target(
      name: "Networking", dependencies: ["Promises", "CCatena"], swiftSettings: settings),
    .target(
      name: "Mocking", dependencies: ["CCatena", "Networking", "Promises"], swiftSettings: settings),
    .target(name: "ThreadSanitizerSupport", path: "Tests/ThreadSanitizerSupport"),
    .target(name: "ChildProcessSupport", path: "Tests/ChildProcessSupport"),
    .target(
      name: "TestSupport",
      dependencies: ["ChildProcessSupport", "Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/Support",
      swiftSettings: settings),
    .target(name: "SystemCallFaults", path: "Tests/SystemCallFaults"),
    .executableTarget(
      name: "cache-worker",
      dependencies: ["Networking", "Promises", "SystemCallFaults", "ThreadSanitizerSupport"],
      path: "Tests/CacheWorker", swiftSettings: settings),
    .executableTarget(name: "guide-a", dependencies: ["Mocking"], path: "Tests/GuideA"),
    .executableTarget(name: "guide-b", dependencies: ["Mocking"], path: "Tests/GuideB"),
    .testTarget(
      name: "NetworkingTests",
      dependencies: [
        "Mocking", "Networking", "Promises", "CCatena", "TestSupport", "ThreadSanitizerSupport",
        "cache-worker",
      ],
      sources: ["Cache", "Client/ClientFixtures.swift"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
