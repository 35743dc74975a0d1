// swift-tools-version: 6.2
import PackageDescription

// A proxy on Hummingbird, which is a package of its own because its build takes minutes.
let catena: Package.Dependency = .package(name: "Catena", path: "../../..")

let package = Package(
  name: "Proxy",
  platforms: [.macOS(.v14)],
  dependencies: [
    catena,
    .package(name: "CatenaIntegrations", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "proxy",
      dependencies: [
        .product(name: "CatenaHTTPTypes", package: "CatenaIntegrations"),
        .product(name: "CatenaServiceLifecycle", package: "CatenaIntegrations"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Networking", package: "Catena"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
