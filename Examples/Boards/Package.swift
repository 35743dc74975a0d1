// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Boards",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "BoardsKit", targets: ["BoardsKit"])],
  dependencies: [.package(name: "Catena", path: "../..")],
  targets: [
    .target(
      name: "BoardsKit",
      dependencies: [
        .product(name: "MockingOAuth2", package: "Catena"),
        .product(name: "MockingResources", package: "Catena"),
        .product(name: "NetworkingOAuth2", package: "Catena"),
      ]),
    .testTarget(
      name: "BoardsKitTests",
      dependencies: [
        "BoardsKit", .product(name: "CatenaTesting", package: "Catena"),
        .product(name: "NetworkingOAuth2", package: "Catena"),
      ]),
  ]
)

// SwiftUI is a framework of Apple's platforms. The rest is also built and tested on Linux.
#if !os(Linux)
  package.targets.append(.executableTarget(name: "BoardsApp", dependencies: ["BoardsKit"]))
#endif
