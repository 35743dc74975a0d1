import Foundation
import Mocking
public import MockingRecordings
public import Networking

/// An OpenAPI document that describes the exchanges of a recording.
///
/// ```swift
/// let inferred = InferredContract(try HAR(contentsOf: file))
/// try inferred.json.data().write(to: document)
/// let contract = try Contract(text: inferred.text)
/// ```
///
/// - **Paths.** Segments that look like ids are parameters: numbers, UUIDs, long texts with digits, and
///   values that a recording has masked. The name is that of the segment before: `/pets/{petId}`.
/// - **Schemas** are merged from all samples: a member is required if all objects have it; types and formats
///   (dates, UUIDs, addresses) are those of all values.
/// - **Examples** are the first bodies, with secrets masked.
/// - **Left out** are failures, preflight requests of browsers, header fields of the protocol, and bodies
///   that are neither JSON, nor forms, nor text.
///
/// The exchanges of the recording keep the document.
public struct InferredContract: Sendable {
  /// The document, in OpenAPI 3.1.
  public let json: JSON

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - archive: The recording.
  ///   - title: The title of the document.
  public init(_ archive: HAR, title: String = "Recorded API") {
    var operations: [String: [String: InferredOperation]] = [:]
    var origins: [String: Int] = [:]
    for entry in archive.log.entries {
      guard let exchange = CheckedExchange(entry), exchange.request.method != .options,
        let url = URL(reference: entry.request.url), let host = url.host()
      else { continue }
      let port = url.port.map { ":\($0)" } ?? ""
      origins["\(url.scheme ?? "https")://\(host)\(port)", default: 0] += 1
      let path = InferredPath(exchange.request.path.text)
      let method = exchange.request.method.rawValue.lowercased()
      guard Self.methods.contains(method) else { continue }
      operations[path.template, default: [:]][method, default: InferredOperation()]
        .add(exchange, path)
    }
    let servers = origins.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var schemes: [String: JSON] = [:]
    let paths = operations.mapValues { methods in
      JSON.dictionary(methods.mapValues { $0.json(&schemes) })
    }
    var document: [String: JSON] = [
      "openapi": "3.1.0", "info": ["title": .string(title), "version": "1"],
      "paths": .dictionary(paths),
    ]
    if !servers.isEmpty {
      document["servers"] = .array(servers.map { ["url": .string($0.key)] })
    }
    if !schemes.isEmpty { document["components"] = ["securitySchemes": .dictionary(schemes)] }
    json = .dictionary(document)
  }

  /// The document as JSON text with line breaks.
  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // The document has no number that cannot be encoded.
    let data = (try? encoder.encode(json)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private static let methods: Set<String> = [
    "get", "put", "post", "delete", "head", "patch", "trace",
  ]
}
