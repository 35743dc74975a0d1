// swift-tools-version: 6.1
import PackageDescription

let package = Package(name: "Planted", targets: [.target(name: "Planted", exclude: ["Resources"])])
