import Foundation

extension NetworkError {
  /// Decodes the body that came with the response, such as a server's account of a problem.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - decoder: how to decode it.
  /// - Returns: the decoded value.
  /// - Throws: ``NetworkError`` with the same request and response, of the code
  ///   ``Code-swift.enum/noData`` when there is no body, and ``Code-swift.enum/decodingFailed`` when
  ///   it is something else.
  public func decodeBody<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    var failure = self
    failure.reason = nil
    failure.underlying = nil
    guard let body, !body.isEmpty else {
      failure.code = .noData
      throw failure
    }
    do {
      return try decoder.decode(type, from: body)
    } catch {
      failure.code = .decodingFailed
      failure.underlying = error
      throw failure
    }
  }
}
