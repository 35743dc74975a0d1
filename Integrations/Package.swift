// swift-tools-version: 6.2
import PackageDescription

// Each adapter is a product that depends on one package of others. A package in a folder cannot be
// depended on by its URL, so `.ci/split-integrations` writes this one as a repository of its own. It
// replaces the next line.
let catena: Package.Dependency = .package(name: "Catena", path: "..")

func module(_ name: String, of package: String = "Catena") -> Target.Dependency {
  .product(name: name, package: package)
}

/// The targets of an adapter: its module and its tests.
///
/// - Parameters:
///   - name: The name of the module.
///   - dependencies: The dependencies of the module, beside the client.
///   - tests: The further dependencies of its tests.
/// - Returns: The targets, the module first.
func adapter(
  _ name: String, _ dependencies: [Target.Dependency], tests: [Target.Dependency] = []
) -> [Target] {
  let dependencies = [module("Networking"), module("Promises")] + dependencies
  let tested: [Target.Dependency] = [.target(name: name), module("Mocking")]
  return [
    .target(name: name, dependencies: dependencies),
    .testTarget(name: "\(name)Tests", dependencies: tested + dependencies + tests),
  ]
}

let conventions = "CatenaAdapterSupport"
let adapters = [
  adapter(
    "CatenaLogging", [.target(name: conventions), module("Logging", of: "swift-log")],
    tests: [module("InMemoryLogging", of: "swift-log")]),
  adapter(
    "CatenaMetrics", [.target(name: conventions), module("CoreMetrics", of: "swift-metrics")],
    tests: [module("MetricsTestKit", of: "swift-metrics")]),
  adapter(
    "CatenaDistributedTracing",
    [
      .target(name: conventions), module("NetworkingTracing"),
      module("Tracing", of: "swift-distributed-tracing"),
    ],
    tests: [module("InMemoryTracing", of: "swift-distributed-tracing")]),
  adapter("CatenaHTTPTypes", [module("HTTPTypes", of: "swift-http-types")]),
  adapter(
    "CatenaServiceLifecycle", [module("ServiceLifecycle", of: "swift-service-lifecycle")],
    tests: [
      module("Logging", of: "swift-log"),
      module("ServiceLifecycleTestKit", of: "swift-service-lifecycle"),
    ]),
  adapter(
    "CatenaOpenAPI",
    [
      .target(name: "CatenaHTTPTypes"), module("HTTPTypes", of: "swift-http-types"),
      module("OpenAPIRuntime", of: "swift-openapi-runtime"),
    ], tests: [module("MockingContracts"), module("MockingResources")]),
]

let package = Package(
  name: "CatenaIntegrations",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: adapters.map { .library(name: $0[0].name, targets: [$0[0].name]) },
  dependencies: [
    catena,
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.11.0"),
  ],
  targets: [.target(name: conventions, dependencies: [module("Networking")])]
    + adapters.flatMap { $0 },
  swiftLanguageModes: [.v6]
)
for target in package.targets {
  target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { .enableUpcomingFeature($0) }
}
