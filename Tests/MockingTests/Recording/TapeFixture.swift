import Foundation
import Networking
import TestSupport

extension TemporaryFolder {
  /// The file of a tape.
  var tape: URL { url("tape.har") }
}

extension ExchangeRecord {
  /// The detail of the failure, or an empty string.
  var reason: String { failure?.detail ?? "" }

  /// Returns whether another record has the same head, body, and failure code.
  func hasSameResponse(as other: ExchangeRecord) -> Bool {
    head == other.head && body == other.body && failure?.code == other.failure?.code
  }
}

extension Transport {
  /// Performs a GET request and returns its record.
  func get(_ url: StaticString, _ headers: HTTPHeaders = [:]) async -> ExchangeRecord {
    await perform(HTTPRequest(url: .of(url), headers: headers))
  }
}
