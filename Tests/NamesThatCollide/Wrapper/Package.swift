// swift-tools-version: 6.1
import PackageDescription

// The local package of an Xcode project whose targets are named as Catena's. A project cannot
// declare aliases, a package can.
let package = Package(
  name: "Wrapper",
  platforms: [.macOS(.v15)],
  products: [.library(name: "CatenaClient", targets: ["CatenaClient"])],
  dependencies: [.package(path: "../../../.build/collisions/Catena")],
  targets: [
    .target(
      name: "CatenaClient",
      dependencies: [
        .product(
          name: "Networking", package: "Catena",
          moduleAliases: ["Networking": "CatenaNetworking", "Promises": "CatenaPromises"])
      ])
  ],
  swiftLanguageModes: [.v6]
)
