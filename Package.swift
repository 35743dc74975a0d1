// swift-tools-version: 6.1
import PackageDescription

// The sources test CATENA_CURL: the trait Curl on Linux. SwiftPM also defines Curl, but on all platforms.
let curl: [Target.Dependency] = [
  .target(name: "CCatenaCurl", condition: .when(platforms: [.linux], traits: ["Curl"]))
]
let settings: [SwiftSetting] =
  [
    .define("CATENA_CURL", .when(platforms: [.linux], traits: ["Curl"]))
  ]
  + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
    .enableUpcomingFeature($0)
  }

// The program mock-server for machines without Swift, which Packaging/README.md describes: it has no
// FoundationNetworking, and opens libcurl when it sends its first request.
let isStandalone = Context.environment["CATENA_STANDALONE"] != nil
let sessionSources = [
  "Client/FoundationSession.swift", "Cookies/CookieJar+Foundation.swift", "Transport/URLSession",
]
let curlLibraries: [LinkerSetting] =
  (isStandalone ? [":libz.so.1"] : [":libcurl.so.4", ":libz.so.1"]).map {
    .linkedLibrary($0, .when(platforms: [.linux]))
  }

// The privacy manifests are for Apple's platforms, which are built on Macs. A module has one if it calls
// a function that Apple wants to be declared.
#if os(Linux)
  let resources: [Resource] = []
  let excluded = ["Resources"]
#else
  let resources: [Resource] = [.process("Resources/PrivacyInfo.xcprivacy")]
  let excluded: [String] = []
#endif

/// Programs that tests start, which only these platforms can do.
func programs(_ names: String...) -> [Target.Dependency] {
  names.map { .target(name: $0, condition: .when(platforms: [.linux, .macOS])) }
}
let support = ["TestGate", "TestSupport", "ThreadSanitizerSupport"] + programs("test-worker")

let package = Package(
  name: "Catena",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "Promises", targets: ["Promises"]),
    .library(name: "PromisesCombine", targets: ["PromisesCombine"]),
    .library(name: "Networking", targets: ["Networking"]),
    .library(name: "NetworkingInterceptors", targets: ["NetworkingInterceptors"]),
    .library(name: "NetworkingOAuth2", targets: ["NetworkingOAuth2"]),
    .library(name: "NetworkingStreams", targets: ["NetworkingStreams"]),
    .library(name: "NetworkingTracing", targets: ["NetworkingTracing"]),
    .library(name: "NetworkingTransfers", targets: ["NetworkingTransfers"]),
    .library(name: "NetworkingValues", targets: ["NetworkingValues"]),
    .library(name: "NetworkingXML", targets: ["NetworkingXML"]),
    .library(name: "Catena", targets: ["Catena"]),
    .library(name: "Mocking", targets: ["Mocking"]),
    .library(name: "MockingOAuth2", targets: ["MockingOAuth2"]),
    .library(name: "MockingTemplates", targets: ["MockingTemplates"]),
    .library(name: "MockingRecordings", targets: ["MockingRecordings"]),
    .library(name: "MockingResources", targets: ["MockingResources"]),
    .library(name: "MockingContracts", targets: ["MockingContracts"]),
    .library(name: "MockingStubs", targets: ["MockingStubs"]),
    .library(name: "CatenaTesting", targets: ["CatenaTesting"]),
    .executable(name: "mock-server", targets: ["mock-server"]),
    .executable(name: "tls-pins", targets: ["tls-pins"]),
    .plugin(name: "MockServerCommand", targets: ["MockServerCommand"]),
    .plugin(name: "CheckStubs", targets: ["CheckStubs"]),
  ],
  traits: [
    .default(enabledTraits: ["Curl"]),
    .trait(
      name: "Curl",
      description:
        "CurlTransport and TLS on Linux, with libcurl, zlib and OpenSSL. No effect on others."),
    .trait(
      name: "CheckStubs",
      description: "The program mock-server for the plugin CheckStubs, which is built for the host."
    ),
  ],
  targets: [
    .target(name: "CCatenaSystem"),
    .target(
      name: "CatenaSystem", dependencies: ["CCatenaSystem"], exclude: excluded,
      resources: resources),
    .target(name: "CatenaBrowser"),
    .target(name: "Promises", dependencies: ["CCatenaSystem", "CatenaSystem"]),
    .target(name: "PromisesCombine", dependencies: ["Promises"]),
    .target(name: "CCatena", exclude: ["Scripts"]),
    .target(
      name: "CCatenaCurl", dependencies: ["CCatena"],
      cSettings: isStandalone ? [.define("CATENA_STANDALONE")] : [], linkerSettings: curlLibraries),
    .target(
      name: "Networking", dependencies: ["CCatena", "CatenaSystem", "Promises"] + curl,
      exclude: isStandalone ? sessionSources : []),
    .target(
      name: "NetworkingInterceptors", dependencies: ["CatenaSystem", "Networking", "Promises"]),
    .target(
      name: "NetworkingOAuth2",
      dependencies: ["CCatena", "CatenaBrowser", "CatenaSystem", "Networking", "Promises"],
      exclude: excluded, resources: resources),
    .target(
      name: "NetworkingStreams", dependencies: ["CatenaSystem", "Networking", "Promises"]),
    .target(
      name: "CCatenaTracing", exclude: ["Page"], cSettings: [.headerSearchPath(".")]),
    .target(
      name: "NetworkingTracing",
      dependencies: ["CCatenaTracing", "CatenaSystem", "Networking", "Promises"]),
    .target(
      name: "NetworkingTransfers",
      dependencies: ["CCatena", "CatenaSystem", "Networking", "Promises"]),
    .target(
      name: "NetworkingValues", dependencies: ["CatenaSystem", "Networking", "Promises"]),
    .target(
      name: "CCatenaXML",
      linkerSettings: [
        .linkedLibrary(":libxml2.so.2", .when(platforms: [.linux])),
        .linkedLibrary("xml2", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
      ]),
    .target(
      name: "NetworkingXML", dependencies: ["CCatenaXML", "CatenaSystem", "Networking"]),
    .target(
      name: "Mocking", dependencies: ["CCatena", "CatenaSystem", "Networking", "Promises"] + curl),
    .target(
      name: "Catena",
      dependencies: [
        "Networking", "NetworkingInterceptors", "NetworkingOAuth2", "NetworkingStreams",
        "NetworkingTracing", "NetworkingTransfers", "NetworkingValues", "NetworkingXML", "Promises",
        "PromisesCombine",
      ]),
    .target(
      name: "MockingOAuth2",
      dependencies: ["Mocking", "Networking", "NetworkingOAuth2", "Promises"]),
    .target(name: "MockingDocuments", dependencies: ["CatenaSystem", "Networking"]),
    .target(
      name: "MockingTemplates",
      dependencies: ["CatenaSystem", "Mocking", "MockingDocuments", "Networking"]),
    .target(
      name: "MockingRecordings",
      dependencies: ["CatenaSystem", "Mocking", "MockingDocuments", "Networking", "Promises"]),
    .target(
      name: "MockingResources",
      dependencies: ["CatenaSystem", "Mocking", "MockingDocuments", "Networking", "Promises"]),
    .target(
      name: "MockingContracts",
      dependencies: [
        "CatenaSystem", "Mocking", "MockingDocuments", "MockingRecordings", "MockingResources",
        "Networking", "Promises",
      ]),
    .target(
      name: "CCatenaAdmin", exclude: ["Inspector", "openapi.json"],
      cSettings: [.headerSearchPath(".")]),
    .target(
      name: "MockingStubs",
      dependencies: [
        "CCatenaAdmin", "CatenaSystem", "Mocking", "MockingContracts", "MockingDocuments",
        "MockingRecordings", "MockingResources", "MockingTemplates", "Networking",
        "NetworkingTracing", "Promises",
      ]),
    .target(
      name: "CatenaTesting", dependencies: ["CatenaSystem", "Mocking", "Networking", "Promises"]),
    .executableTarget(
      name: "mock-server",
      dependencies: [
        "CatenaBrowser", "CatenaSystem", "Mocking", "MockingContracts", "MockingRecordings",
        "MockingResources", "MockingStubs", "Networking", "Promises",
      ] + curl,
      path: "Sources/MockServer"),
    .plugin(
      name: "MockServerCommand",
      capability: .command(
        intent: .custom(
          verb: "mock-server",
          description: "Serve stub files, OpenAPI documents and recordings, or check them"))),
    .plugin(
      name: "CheckStubs", capability: .buildTool(),
      dependencies: [.target(name: "mock-server", condition: .when(traits: ["CheckStubs"]))]),
    .executableTarget(
      name: "tls-pins", dependencies: ["Networking"], path: "Examples/TLSPins"),

    // The program that the README names first; the other examples are the package Examples.
    .executableTarget(
      name: "quickstart", dependencies: ["Mocking"], path: "Examples/Quickstart"),

    // Tests, and what they share. The programs that only CI starts are the package Tests/Programs.
    .testTarget(
      name: "PromisesTests",
      dependencies: ["CatenaSystem", "Promises", "PromisesCombine"] + support),
    .testTarget(
      name: "NetworkingTests",
      dependencies: [
        "CatenaSystem", "Mocking", "MockingOAuth2", "MockingRecordings", "MockingResources",
        "Networking", "NetworkingInterceptors", "NetworkingOAuth2", "NetworkingStreams",
        "NetworkingTracing", "NetworkingTransfers", "NetworkingValues", "Promises",
      ] + curl + support),
    .testTarget(
      name: "NetworkingXMLTests",
      dependencies: ["Mocking", "Networking", "NetworkingXML", "Promises"] + support),
    .testTarget(
      name: "MockingTests",
      dependencies: [
        "CatenaSystem", "Mocking", "MockingContracts", "MockingDocuments", "MockingOAuth2",
        "MockingRecordings", "MockingResources", "MockingStubs", "MockingTemplates", "Networking",
        "NetworkingInterceptors", "NetworkingOAuth2", "NetworkingStreams", "NetworkingTracing",
        "NetworkingTransfers", "NetworkingXML", "Promises",
      ] + support + programs("mock-server", "quickstart")),
    .testTarget(
      name: "PortedTests",
      dependencies: [
        "Mocking", "MockingOAuth2", "Networking", "NetworkingInterceptors", "NetworkingOAuth2",
        "NetworkingStreams", "NetworkingTracing", "NetworkingTransfers", "NetworkingValues",
        "NetworkingXML", "Promises", "PromisesCombine",
      ] + support,
      path: "Tests/Ported", exclude: ["README.md"]),
    .testTarget(
      name: "CatenaTestingTests",
      dependencies: [
        "CatenaTesting", "Mocking", "MockingRecordings", "MockingStubs", "Networking", "Promises",
      ] + support),
    .testTarget(
      name: "TestSupportTests", dependencies: support),
    .target(
      name: "TestGate", dependencies: ["Promises", "TestSupport"], path: "Tests/Gate"),
    .target(
      name: "TestSupport",
      dependencies: ["ChildProcessSupport", "Networking", "Promises", "ThreadSanitizerSupport"],
      path: "Tests/Support"),
    .target(name: "ChildProcessSupport", path: "Tests/ChildProcessSupport"),
    .target(name: "ThreadSanitizerSupport", path: "Tests/ThreadSanitizerSupport"),
    .target(name: "SystemCallFaults", path: "Tests/SystemCallFaults"),
    .executableTarget(
      name: "test-worker",
      dependencies: [
        "Mocking", "MockingOAuth2", "MockingResources", "MockingStubs", "Networking",
        "NetworkingInterceptors", "NetworkingOAuth2", "NetworkingTransfers", "Promises",
        "SystemCallFaults", "TestSupport",
      ],
      path: "Tests/Worker"),
  ],
  swiftLanguageModes: [.v6]
)
for target in package.targets where target.type != .plugin {
  target.swiftSettings = settings
  // The lock and the atomic values of Apple's systems are bytes of their owners.
  if target.name == "CatenaSystem" {
    target.swiftSettings?.append(.enableExperimentalFeature("RawLayout"))
  }
}
