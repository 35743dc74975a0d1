import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponseHead {
  /// What Foundation tells of a head: its fields in the order of their names, one value a name, but for
  /// `Set-Cookie`, which is taken apart again.
  init(_ response: HTTPURLResponse) {
    var headers = HTTPHeaders()
    let fields = response.allHeaderFields.compactMap { name, value -> (String, String)? in
      guard let name = name as? String, let value = value as? String else { return nil }
      return (name, value)
    }
    for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) {
      let values =
        HTTPHeaders.areEqual(name, "Set-Cookie") ? SetCookieValues.split(value) : [value]
      for value in values { headers.add(value, for: name) }
    }
    self.init(status: response.statusCode, headers: headers)
  }
}
