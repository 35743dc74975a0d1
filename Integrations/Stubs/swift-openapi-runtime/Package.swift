// swift-tools-version: 6.2
import PackageDescription

// The documented protocol of swift-openapi-runtime 1.11, as far as CatenaOpenAPI uses it. CI compiles and
// tests the adapter with this package where the real one cannot be downloaded.
let package = Package(
  name: "swift-openapi-runtime",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [.library(name: "OpenAPIRuntime", targets: ["OpenAPIRuntime"])],
  dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")],
  targets: [
    .target(
      name: "OpenAPIRuntime",
      dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")])
  ],
  swiftLanguageModes: [.v6]
)
