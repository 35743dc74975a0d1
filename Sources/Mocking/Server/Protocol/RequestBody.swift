import Foundation
import Networking

/// What comes after a head.
struct RequestBody: Hashable {
  /// Empty when it was not to be collected.
  var data = Data()
  /// How long it was, collected or not.
  var byteCount = 0
  var trailers: HTTPHeaders = [:]
}
