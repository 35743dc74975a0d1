import Foundation
import Mocking
import MockingDocuments
import Networking

/// The body of a PATCH.
struct ResourcePatch {
  private enum Kind {
    case merge(JSON)
    case operations(JSONPatch)
  }

  private static let mergeType = "application/merge-patch+json"
  private static let patchType = "application/json-patch+json"

  private let kind: Kind

  /// Parses the body according to its content type; `application/json` is a merge patch.
  init(_ request: ReceivedRequest, _ options: ResourceOptions) throws(ResourceProblem) {
    try Self.checkSize(request, options)
    switch Self.type(of: request) {
    case Self.patchType:
      let document = try Self.json(of: request)
      do throws(JSONPatch.Failure) {
        kind = .operations(try JSONPatch(document))
      } catch {
        throw ResourceProblem(error, status: 400)
      }
    case Self.mergeType, "application/json", nil: kind = .merge(try Self.json(of: request))
    case let type?:
      throw ResourceProblem(
        status: 415,
        detail:
          "the content type \(type) is not supported; send \(Self.mergeType) or \(Self.patchType)",
        headers: ["Accept-Patch": "\(Self.mergeType), \(Self.patchType)"])
    }
  }

  /// Returns a copy of an item with the changes.
  ///
  /// - Parameters:
  ///   - json: The item.
  ///   - options: The options with the maximum size of an item, also of the copies of a JSON Patch.
  /// - Returns: The changed copy.
  /// - Throws: ``ResourceProblem`` if an operation of a JSON Patch cannot be applied.
  func applied(to json: JSON, _ options: ResourceOptions) throws(ResourceProblem) -> JSON {
    switch kind {
    case .merge(let patch): return json.merging(patch)
    case .operations(let patch):
      do throws(JSONPatch.Failure) {
        return try patch.applied(to: json, atMost: options.maximumItemBytes)
      } catch {
        let status =
          switch error.kind {
          case .invalid: 422
          case .test: 409
          case .tooLarge: 413
          }
        throw ResourceProblem(error, status: status)
      }
    }
  }

  /// Returns the content type without parameters, or `nil` if there is none.
  static func type(of request: ReceivedRequest) -> String? {
    request.headers["Content-Type"].map { MediaType($0)?.description ?? $0 }
  }

  static func checkSize(
    _ request: ReceivedRequest, _ options: ResourceOptions
  ) throws(ResourceProblem) {
    let byteCount = max(request.bodyByteCount, request.decodedBody.count)
    guard byteCount <= options.maximumItemBytes else {
      throw ResourceProblem(
        status: 413, detail: "a body has at most \(options.maximumItemBytes) bytes")
    }
  }

  static func json(of request: ReceivedRequest) throws(ResourceProblem) -> JSON {
    let json = request.json
    // `null` may also be a text that is not JSON.
    guard json.isNull, (try? JSON(parsing: request.decodedBody)) == nil else { return json }
    let reason =
      request.body.isEmpty ? "it is empty" : JSONDocumentError.syntax(of: request.decodedBody).text
    throw ResourceProblem(status: 400, detail: "the body is not JSON: \(reason)")
  }
}

extension ResourceProblem {
  fileprivate init(_ failure: JSONPatch.Failure, status: Int) {
    let operation = failure.index.map { "operation \($0): " } ?? ""
    self.init(status: status, detail: "\(operation)\(failure.reason)")
  }
}
