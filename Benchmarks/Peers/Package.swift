// swift-tools-version: 6.1
import PackageDescription

let loads: Target.Dependency = .product(name: "LoadSupport", package: "Benchmarks")

// What the networking benchmarks compare with. A package apart, so that whoever measures promises, and CI, neither
// fetches nor builds any of it.
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
        loads, .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "flyingfox-server",
      dependencies: [loads, .product(name: "FlyingFox", package: "FlyingFox")]),
    .executableTarget(
      name: "hummingbird-server",
      dependencies: [loads, .product(name: "Hummingbird", package: "hummingbird")]),
  ],
  swiftLanguageModes: [.v6]
)
