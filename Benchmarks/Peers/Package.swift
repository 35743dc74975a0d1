// swift-tools-version: 6.1
import PackageDescription

let loadSupport: Target.Dependency = .product(name: "LoadSupport", package: "Benchmarks")

/// The packages without a release for a package manager here, by the folders that --alamofire and --get name.
let folders = ["Alamofire": Context.environment["ALAMOFIRE"], "Get": Context.environment["GET"]]
let named = folders.compactMap { name, folder in folder.map { (name: name, folder: $0) } }

// The peers of the networking benchmarks. A separate package, so that the promise benchmarks and CI
// neither fetch nor build them.
let package = Package(
  name: "Peers",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Benchmarks", path: ".."),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ] + named.map { .package(name: $0.name, path: $0.folder) },
  targets: [
    .executableTarget(
      name: "async-http-client-load",
      dependencies: [
        loadSupport, .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "flyingfox-server",
      dependencies: [loadSupport, .product(name: "FlyingFox", package: "FlyingFox")]),
    .executableTarget(
      name: "hummingbird-server",
      dependencies: [loadSupport, .product(name: "Hummingbird", package: "hummingbird")]),
  ]
    + named.map {
      .executableTarget(
        name: "\($0.name.lowercased())-load",
        dependencies: [loadSupport, .product(name: $0.name, package: $0.name)])
    },
  swiftLanguageModes: [.v6]
)
