// swift-tools-version: 6.1
import PackageDescription

// The programs that Tests/Differential and the steps of CI start, and the tests do not. A package of its own, so
// that the tests need not build them.
let settings: [SwiftSetting] = [
  "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
].map { .enableUpcomingFeature($0) }
let networking = Target.Dependency.product(name: "Networking", package: "Catena")
let oauth2 = Target.Dependency.product(name: "NetworkingOAuth2", package: "Catena")
let promises = Target.Dependency.product(name: "Promises", package: "Catena")
let streams = Target.Dependency.product(name: "NetworkingStreams", package: "Catena")
let transfers = Target.Dependency.product(name: "NetworkingTransfers", package: "Catena")
let xml = Target.Dependency.product(name: "NetworkingXML", package: "Catena")
let support = Target.Dependency.target(name: "ProgramSupport")

func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: folder, swiftSettings: settings)
}

let package = Package(
  name: "Programs",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    program("concurrent-uploads", "ConcurrentUploads", [networking, support]),
    program("hostile-responses", "HostileResponses", [networking, support]),
    program("multipart-bodies", "MultipartBodies", [networking, support]),
    program("oauth2-grants", "OAuth2Grants", [networking, oauth2, promises]),
    program("query-formats", "QueryFormats", [networking, support]),
    program("resumable-transfers", "ResumableTransfers", [networking, transfers, support]),
    program("stream-rates", "StreamRates", [networking, streams, support]),
    program("xml-documents", "XMLDocuments", [xml, support]),
    // A link to the folder of the tests, without what needs their C code.
    .target(
      name: "ProgramSupport", dependencies: [networking, promises], path: "Support",
      exclude: ["ChildProcess.swift", "ChildProcessIO.swift", "TLSServers.swift"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
