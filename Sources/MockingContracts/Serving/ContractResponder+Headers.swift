import Mocking
import Networking

extension ContractHeader {
  /// Whether the value is made from the request, below whose path a new resource is.
  var dependsOnRequest: Bool { example == nil && name.lowercased() == "location" }
}

extension ContractResponder {
  /// Returns a mock with the header fields of a response that it does not have.
  ///
  /// - Parameters:
  ///   - response: The response of the document.
  ///   - mock: The mock.
  ///   - request: The request, below whose path the new resource of `Location` is.
  /// - Returns: The mock.
  func headers(of response: ContractResponse, _ mock: Mock, _ request: ReceivedRequest) -> Mock {
    var mock = mock
    for (index, header) in response.headers.enumerated() where !mock.headers.contains(header.name) {
      var value = header.example
      if header.dependsOnRequest {
        let path = request.path.text + "/1"
        let host = request.headers["Host"] ?? "127.0.0.1"
        value = [path, "http://\(host)\(path)"].map(JSON.string).first { location in
          let schema = header.schema
          return schema.map { content.violations(of: location, $0, .response).isEmpty } ?? true
        }
      }
      if value == nil, let schema = header.schema {
        let sample = sample(schema, seed: seed &+ UInt64(1_000 + index))
        if sample.isValid { value = sample.value }
      }
      guard let value else { continue }
      switch value {
      case .string(let text): mock.headers[header.name] = text
      case .array(let values):
        mock.headers[header.name] = values.map { $0.string ?? $0.description }.joined(
          separator: ",")
      case .dictionary, .null: break
      default: mock.headers[header.name] = value.description
      }
    }
    return mock
  }
}
