import Foundation
import Networking

/// Swift code with the endpoints of a contract: a `TypedEndpoint` for each operation, and `Codable` types for
/// its schemas.
///
/// ```swift
/// try EndpointSource(contract).text.write(to: file, atomically: true, encoding: .utf8)
///
/// // With the code in a module:
/// let pet = networking.fetch(GetPet(id: 7))
/// ```
///
/// The program prints it, too: `mock-server endpoints api.yaml > API.swift`. The code compiles without
/// changes in Swift 6.1, also in a module whose default isolation is the main actor.
///
/// - **Types** have the names of the document's schemas, or of the operation and the member. Members that
///   are not required are optional. Schemas with alternatives, and structures within themselves, are `JSON`.
///   Dates and UUIDs are texts.
/// - **Endpoints** have the name of the `operationId`, or of the method and the path. Parameters in cookies
///   are left out. An operation whose response is not JSON is a `RequestConvertible`, for
///   `networking.request(any:)`.
public struct EndpointSource: Sendable {
  /// The code.
  public let text: String

  /// Creates the code for a contract.
  ///
  /// - Parameter contract: The contract.
  public init(_ contract: Contract) {
    let content = contract.content
    var names = SwiftNames()
    let api = names.type(Self.apiName(contract.title))
    let endpointNames = content.operations.map { names.type(Self.name(of: $0)) }
    var types = SwiftTypes(content.program, names: names)
    let endpoints = zip(content.operations, endpointNames).map { operation, name in
      SwiftEndpoint(operation, named: name, &types, content.program).lines
    }
    var lines = [
      "// The endpoints of \(Self.line(contract.title)) \(Self.line(contract.version)), made by mock-server endpoints.",
      "import Foundation", "import Networking", "",
    ]
    lines.append("/// \(Self.line(contract.title)) \(Self.line(contract.version))")
    lines.append("nonisolated enum \(api) {")
    lines.append("  /// The address of the server, for `networking.baseURL`.")
    let server = SwiftNames.literal(Self.address(of: content.servers.first))
    lines.append("  static let baseURL = URL(string: \(server))")
    lines.append("}")
    for declaration in endpoints + types.declarations { lines += [""] + declaration }
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Returns the title with the word API at its end, which it may have already.
  private static func apiName(_ title: String) -> String {
    let last = title.split { !($0.isLetter || $0.isNumber) }.last ?? ""
    return last.lowercased() == "api" || last.hasSuffix("API") ? title : title + " API"
  }

  /// Returns the absolute address of a server; a relative one is that of the mock server.
  private static func address(of server: String?) -> String {
    let local = "http://127.0.0.1:8080"
    guard let server, !server.isEmpty else { return local + "/" }
    guard URL(string: server)?.scheme == nil else { return server }
    return server.hasPrefix("//")
      ? "http:" + server : local + (server.hasPrefix("/") ? "" : "/") + server
  }

  private static func line(_ text: String) -> String {
    // Without control characters and the other characters that end a line in some editor.
    let kept = text.unicodeScalars.filter { scalar in
      scalar.properties.generalCategory != .control && ![0x2028, 0x2029].contains(scalar.value)
    }
    return String(String.UnicodeScalarView(kept))
  }

  /// Returns the name of an operation: `operationId`, or the method and the path.
  private static func name(of operation: ContractOperation) -> String {
    if let id = operation.id, id.contains(where: { $0.isASCII && $0.isLetter }) { return id }
    let method = operation.method.rawValue.lowercased()
    let path = ContractPath(operation.path).segments.map { parts in
      parts.map { part in
        switch part {
        case .literal(let text): text
        case .variable(let name): "By_\(name)"
        }
      }.joined(separator: "_")
    }
    return ([method] + path).joined(separator: "_")
  }
}
