// swift-tools-version: 6.1
import PackageDescription

// A package with a target named as one of ours, as google/promises has, and types named as ours.
// `.ci/run collisions` builds it, and runs its program. It makes the link to the root package, because
// aliases apply to a package by the name of its folder. The guide is "Names that collide".
let package = Package(
  name: "NamesThatCollide",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../../.build/collisions/Catena")],
  targets: [
    .target(name: "Promises", path: "Promises"),
    .executableTarget(
      name: "collisions",
      dependencies: [
        "Promises",
        .product(
          name: "Networking", package: "Catena", moduleAliases: ["Promises": "CatenaPromises"]),
      ],
      path: "Program"),
  ],
  swiftLanguageModes: [.v6]
)
