// swift-tools-version: 6.2
import PackageDescription

// Each adapter is a product that depends on one package of others. A package in a folder cannot be
// depended on by its URL, so `.ci/split-integrations` writes this one as a repository of its own. It
// replaces the next line.
let catena: Package.Dependency = .package(name: "Catena", path: "..")

let networking: Target.Dependency = .product(name: "Networking", package: "Catena")
let mocking: Target.Dependency = .product(name: "Mocking", package: "Catena")
let promises: Target.Dependency = .product(name: "Promises", package: "Catena")
let tracing: Target.Dependency = .product(name: "NetworkingTracing", package: "Catena")
let support: Target.Dependency = "CatenaAdapterSupport"
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
  name: "CatenaIntegrations",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "CatenaLogging", targets: ["CatenaLogging"]),
    .library(name: "CatenaMetrics", targets: ["CatenaMetrics"]),
    .library(name: "CatenaDistributedTracing", targets: ["CatenaDistributedTracing"]),
    .library(name: "CatenaHTTPTypes", targets: ["CatenaHTTPTypes"]),
    .library(name: "CatenaServiceLifecycle", targets: ["CatenaServiceLifecycle"]),
    .library(name: "CatenaOpenAPI", targets: ["CatenaOpenAPI"]),
  ],
  dependencies: [
    catena,
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.11.0"),
  ],
  targets: [
    .target(name: "CatenaAdapterSupport", dependencies: [networking]),
    .target(
      name: "CatenaLogging",
      dependencies: [support, networking, .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "CatenaMetrics",
      dependencies: [support, networking, .product(name: "CoreMetrics", package: "swift-metrics")]),
    .target(
      name: "CatenaDistributedTracing",
      dependencies: [
        support, networking, promises, tracing,
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(name: "CatenaHTTPTypes", dependencies: [networking, httpTypes]),
    .target(
      name: "CatenaServiceLifecycle",
      dependencies: [
        networking, promises,
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "CatenaOpenAPI",
      dependencies: [
        "CatenaHTTPTypes", networking, promises, httpTypes,
        .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
      ]),

    .testTarget(
      name: "CatenaLoggingTests",
      dependencies: [
        "CatenaLogging", mocking, networking,
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "CatenaMetricsTests",
      dependencies: [
        "CatenaMetrics", mocking, networking, promises,
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "CatenaDistributedTracingTests",
      dependencies: [
        "CatenaDistributedTracing", mocking, networking, promises, tracing,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "CatenaHTTPTypesTests",
      dependencies: ["CatenaHTTPTypes", mocking, networking, promises, httpTypes]),
    .testTarget(
      name: "CatenaServiceLifecycleTests",
      dependencies: [
        "CatenaServiceLifecycle", mocking, networking, promises,
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "CatenaOpenAPITests",
      dependencies: [
        "CatenaOpenAPI", mocking, networking, promises, httpTypes,
        .product(name: "MockingContracts", package: "Catena"),
        .product(name: "MockingResources", package: "Catena"),
        .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
for target in package.targets {
  target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { .enableUpcomingFeature($0) }
}
