// swift-tools-version: 6.1
import PackageDescription

// Linux has libcurl as its transport, or Foundation's URLSession with CATENA_CURL=0 in the environment.
let usesCurl = Context.environment["CATENA_CURL"] != "0"
let curl: [Target.Dependency] =
  usesCurl ? [.target(name: "CCatenaCurl", condition: .when(platforms: [.linux]))] : []

var settings: [SwiftSetting] = [
  "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
].map { .enableUpcomingFeature($0) }
if usesCurl { settings.append(.define("CATENA_CURL", .when(platforms: [.linux]))) }

// The privacy manifest is for Apple's platforms, which are built on Macs.
#if os(Linux)
  let resources: [Resource] = []
  let excluded = ["Resources"]
#else
  let resources: [Resource] = [.process("Resources/PrivacyInfo.xcprivacy")]
  let excluded: [String] = []
#endif

/// The programs that tests start, which only these platforms can do.
func programs(_ names: String...) -> [Target.Dependency] {
  names.map { .target(name: $0, condition: .when(platforms: [.linux, .macOS])) }
}

let package = Package(
  name: "Catena",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Promises", targets: ["Promises"]),
    .library(name: "Networking", targets: ["Networking"]),
    .library(name: "NetworkingXML", targets: ["NetworkingXML"]),
    .library(name: "Mocking", targets: ["Mocking"]),
    .library(name: "CatenaTesting", targets: ["CatenaTesting"]),
    .executable(name: "mock-server", targets: ["mock-server"]),
    .executable(name: "tls-pins", targets: ["tls-pins"]),
  ],
  targets: [
    .target(name: "CatenaSystem", swiftSettings: settings),
    .target(name: "Promises", dependencies: ["CatenaSystem"], swiftSettings: settings),
    .target(name: "CCatena"),
    .target(
      name: "CCatenaCurl", dependencies: ["CCatena"],
      linkerSettings: [
        .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
        .linkedLibrary(":libz.so.1", .when(platforms: [.linux])),
      ]),
    .target(
      name: "Networking", dependencies: ["CCatena", "CatenaSystem", "Promises"] + curl,
      exclude: excluded, resources: resources, swiftSettings: settings),
    .target(
      name: "CCatenaXML",
      linkerSettings: [
        .linkedLibrary(":libxml2.so.2", .when(platforms: [.linux])),
        .linkedLibrary("xml2", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
      ]),
    .target(
      name: "NetworkingXML", dependencies: ["CCatenaXML", "Networking"], swiftSettings: settings),
    .target(
      name: "Mocking", dependencies: ["CCatena", "CatenaSystem", "Networking", "Promises"] + curl,
      swiftSettings: settings),
    .target(
      name: "CatenaTesting", dependencies: ["Mocking", "Networking", "Promises"],
      swiftSettings: settings),
    .target(name: "ThreadSanitizerSupport", path: "Tests/ThreadSanitizerSupport"),
    .target(name: "ChildProcessSupport", path: "Tests/ChildProcessSupport"),
    .target(
      name: "TestSupport",
      dependencies: ["ChildProcessSupport", "Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/Support",
      swiftSettings: settings),
    .executableTarget(
      name: "first-chain", dependencies: ["Promises"], path: "Examples/FirstChain",
      swiftSettings: settings),
    .executableTarget(
      name: "quickstart", dependencies: ["Mocking"], path: "Examples/Quickstart",
      swiftSettings: settings),
    .executableTarget(
      name: "shop", dependencies: ["Mocking"], path: "Examples/Shop/Client",
      swiftSettings: settings),
    .executableTarget(
      name: "fetch", dependencies: ["Networking"], path: "Examples/Fetch/Program",
      swiftSettings: settings),
    .executableTarget(
      name: "tls-pins", dependencies: ["Networking"], path: "Examples/TLSPins",
      swiftSettings: settings),
    .executableTarget(
      name: "mock-server", dependencies: ["CatenaSystem", "Mocking", "Networking", "Promises"],
      path: "Sources/MockServer", swiftSettings: settings),
    .executableTarget(
      name: "main-thread-waits", dependencies: ["Promises", "ThreadSanitizerSupport"],
      path: "Tests/MainThreadWaits", swiftSettings: settings),
    .executableTarget(
      name: "large-bodies", dependencies: ["Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/LargeBodies", swiftSettings: settings),
    .executableTarget(
      name: "reachability-watch", dependencies: ["Networking", "ThreadSanitizerSupport"],
      path: "Tests/ReachabilityWatch", swiftSettings: settings),
    .executableTarget(
      name: "offline-namespace",
      dependencies: ["Mocking", "Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/OfflineNamespace", swiftSettings: settings),
    .target(name: "SystemCallFaults", path: "Tests/SystemCallFaults"),
    .executableTarget(
      name: "offline-faults",
      dependencies: ["Networking", "Promises", "SystemCallFaults", "ThreadSanitizerSupport"],
      path: "Tests/OfflineFaults", swiftSettings: settings),
    .executableTarget(
      name: "hanging-resolver", dependencies: ["Networking", "SystemCallFaults", "TestSupport"],
      path: "Tests/HangingResolver", swiftSettings: settings),
    .executableTarget(
      name: "offline-worker", dependencies: ["Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/OfflineWorker", swiftSettings: settings),
    .executableTarget(
      name: "oauth2-grants", dependencies: ["Networking", "Promises"], path: "Tests/OAuth2Grants",
      swiftSettings: settings),
    .executableTarget(
      name: "oauth2-worker", dependencies: ["Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/OAuth2Worker", swiftSettings: settings),
    .executableTarget(
      name: "cache-worker",
      dependencies: ["Networking", "Promises", "SystemCallFaults", "ThreadSanitizerSupport"],
      path: "Tests/CacheWorker", swiftSettings: settings),
    .executableTarget(
      name: "simulation", dependencies: ["Mocking", "Networking", "Promises", "TestSupport"],
      path: "Tests/Simulation", swiftSettings: settings),
    .executableTarget(
      name: "kept-connections", dependencies: ["Networking", "TestSupport"],
      path: "Tests/KeptConnections", swiftSettings: settings),
    .executableTarget(
      name: "multipart-bodies", dependencies: ["Networking", "TestSupport"],
      path: "Tests/MultipartBodies", swiftSettings: settings),
    .executableTarget(
      name: "resumable-transfers", dependencies: ["Networking"], path: "Tests/ResumableTransfers",
      swiftSettings: settings),
    .executableTarget(
      name: "query-formats", dependencies: ["Networking", "TestSupport"],
      path: "Tests/QueryFormats", swiftSettings: settings),
    .executableTarget(
      name: "hostile-responses", dependencies: ["Networking", "TestSupport"],
      path: "Tests/HostileResponses", swiftSettings: settings),
    .executableTarget(
      name: "response-mutations", dependencies: ["Networking", "Promises", "TestSupport"],
      path: "Tests/ResponseMutations", swiftSettings: settings),
    .executableTarget(
      name: "xml-documents", dependencies: ["NetworkingXML", "TestSupport"],
      path: "Tests/XMLDocuments", swiftSettings: settings),
    .executableTarget(
      name: "stream-rates", dependencies: ["Networking", "TestSupport"], path: "Tests/StreamRates",
      swiftSettings: settings),
    .testTarget(
      name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "PromisesTests",
      dependencies: ["Promises", "TestSupport", "ThreadSanitizerSupport"]
        + programs("main-thread-waits"),
      swiftSettings: settings),
    .testTarget(
      name: "NetworkingTests",
      dependencies: [
        "Mocking", "Networking", "Promises", "TestSupport", "ThreadSanitizerSupport",
      ] + curl
        + programs(
          "cache-worker", "hanging-resolver", "large-bodies", "oauth2-worker", "offline-faults",
          "offline-namespace", "offline-worker", "reachability-watch"),
      swiftSettings: settings),
    .testTarget(
      name: "NetworkingXMLTests",
      dependencies: ["Mocking", "Networking", "NetworkingXML", "Promises", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MockingTests",
      dependencies: [
        "Mocking", "Networking", "NetworkingXML", "Promises", "TestSupport",
        "ThreadSanitizerSupport",
      ] + programs("mock-server", "quickstart", "response-mutations", "simulation"),
      swiftSettings: settings),
    .testTarget(
      name: "CatenaTestingTests",
      dependencies: ["CatenaTesting", "Mocking", "Networking", "Promises", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ShopTests", dependencies: ["CatenaTesting", "Mocking", "shop"],
      path: "Examples/Shop/Tests", swiftSettings: settings),
    .testTarget(
      name: "FetchTests", dependencies: ["Networking", "TestSupport", "fetch"],
      path: "Examples/Fetch/Tests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
