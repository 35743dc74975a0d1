import Foundation
import Networking

extension AdminAPI {
  static let informationOperations = [
    AdminOperation(.get, "", query: nil) { _, _ in page },
    AdminOperation(.get, "openapi.json") { admin, _ in
      let document = admin.token == nil ? OpenAPIDocument.open : OpenAPIDocument.protected
      return ReservedPathResponse(mock: .data(document, contentType: "application/json"))
    },
    AdminOperation(.get, "info") { admin, _ in .json(admin.information) },
    AdminOperation(.post, "shutdown", body: .required) { try $0.shutDown($1) },
  ]

  /// The inspector page.
  private static var page: ReservedPathResponse {
    let page = InspectorPage.make()
    var mock = Mock.data(page.body, contentType: nil)
    mock.headers = page.headers
    return ReservedPathResponse(mock: mock)
  }

  private var information: JSON {
    [
      "name": .string(options.name), "version": .string(options.version),
      "url": .string(access.url.absoluteString),
      "startedAt": .string(HAR.Entry.timestamp(backend.startDate)),
      "seed": options.seed.map { seed in
        Int(exactly: seed).map { .int($0) } ?? .decimal(Decimal(seed))
      } ?? .null,
      "files": .array(options.files.map { .string($0) }),
      "proxy": options.proxy.map { .string(AdminMask.url($0.absoluteString)) } ?? .null,
      "recording": options.recording.map { .string($0) } ?? .null,
      "instance": .string(instance),
    ]
  }

  /// Ends the program.
  ///
  /// The request names the instance of the server, so that it does not end another one by mistake.
  private func shutDown(_ call: AdminCall) throws -> ReservedPathResponse {
    let object = try call.object(
      ["instance"], "an object with the member \"instance\", as in {\"instance\": \"...\"}")
    let named = try object.required("instance", "that of \(Self.path)info").string()
    guard named == instance else {
      throw AdminProblem(409, "the request names another server; see \(Self.path)info")
    }
    guard let onShutdown = options.onShutdown else {
      throw AdminProblem(409, "this server cannot be shut down by a request")
    }
    var response = ReservedPathResponse.json(["instance": .string(instance)], status: 202)
    response.atEnd = onShutdown
    return response
  }
}
