import Foundation

extension Request {
  /// The files of the payload, in order.
  var files: [URL] {
    var files: [URL] = []
    _ = replacingFiles { _, file in
      files.append(file)
      return file
    }
    return files
  }

  /// The same request with other files in its payload.
  ///
  /// - Parameter replacement: gets each file's position, from 0, and its URL.
  /// - Returns: the changed request.
  /// - Throws: what `replacement` throws.
  func replacingFiles(_ replacement: (_ position: Int, _ file: URL) throws -> URL) rethrows
    -> Request
  {
    var request = self
    switch payload {
    case .file(let file): request.payload = .file(try replacement(0, file))
    case .multipart(var form):
      var position = 0
      for index in form.parts.indices {
        guard case .file(let file) = form.parts[index].content else { continue }
        form.parts[index].content = .file(try replacement(position, file))
        position += 1
      }
      request.payload = .multipart(form)
    case .data, .stream, nil: break
    }
    return request
  }

  /// The same request without the header fields that carry credentials, and the names of those.
  func withoutCredentials() -> (request: Request, withheld: [String]) {
    let secret = headers.filter { Self.carriesCredentials($0) }
    guard !secret.isEmpty else { return (self, []) }
    var request = self
    for field in secret { request.headers.remove(field.name) }
    return (request, secret.map(\.name))
  }

  /// Those of HTTP, whatever has a telling name, such as `X-Api-Key`, and a `Referer` with a token in it.
  ///
  /// An idempotency key is none, whatever it looks like: with another one the server would do the work twice.
  private static func carriesCredentials(_ field: HTTPHeaders.Field) -> Bool {
    if HTTPHeaders.areEqual(OfflineStage.keyField, field.name) { return false }
    return ["Authorization", "Proxy-Authorization", "Cookie"]
      .contains { HTTPHeaders.areEqual($0, field.name) }
      || Redaction.isSecret(name: field.name) || Redaction.value(of: field) != field.value
  }
}
