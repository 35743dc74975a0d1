// swift-tools-version: 6.1
import PackageDescription

let loadSupport: Target.Dependency = .product(name: "LoadSupport", package: "Benchmarks")

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
  ],
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
  ],
  swiftLanguageModes: [.v6]
)
