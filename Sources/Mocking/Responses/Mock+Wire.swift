import Networking

extension Mock {
  /// Whether its status is one of those that never have a body.
  var isBodiless: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

  /// Whether its header fields say themselves how long the body is.
  var isFramed: Bool { headers.contains("Content-Length") || headers.contains("Transfer-Encoding") }

  /// How long it waits before its first byte.
  var headDelay: Duration { delay?.duration(0) ?? .zero }

  /// Why it cannot be sent; nil when it can.
  var flaw: String? {
    guard (100...999).contains(status) else {
      return "the handler answered with the status \(status)"
    }
    for field in headers.fields {
      let isValid =
        field.name.isToken
        && field.value.utf8.areAll { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
      guard isValid else { return "the handler answered with a malformed header field" }
    }
    return nil
  }

  /// This answer in what HTTP has, and such as can be sent: a failure as the behaviour that comes nearest
  /// to it, or else a 500 that says why not.
  var onTheWire: Mock {
    var mock: Mock
    if let error {
      mock =
        switch error {
        // Behind the status line, since where nothing came at all on a connection that has served
        // before, clients try again of themselves, and the failure would never be seen.
        case .connectionLost:
          Mock().interrupted(by: .reset, at: .head(afterBytes: "HTTP/1.1 200 OK\r\n".utf8.count))
        case .timedOut: Mock().interrupted(by: .stall, at: .request)
        case .malformedResponse: Mock().interrupted(by: .garbage, at: .request)
        default: .unavailable("a server cannot bring about the failure \(error)")
        }
    } else if let flaw {
      mock = .unavailable(flaw)
    } else {
      return self
    }
    mock.delay = delay
    return mock
  }
}
