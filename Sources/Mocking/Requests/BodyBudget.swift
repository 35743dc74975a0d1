import CatenaSystem
import Foundation
import Networking

/// The bytes that the bodies of all requests in progress use, and their limit.
final class BodyBudget: Sendable {
  let limit: Int
  private let state = Mutex(0)

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of bytes in use.
  var used: Int { state.withLock { $0 } }

  /// Adds a number of bytes, even beyond the limit.
  ///
  /// A negative number releases bytes.
  func add(_ count: Int) {
    guard count != 0 else { return }
    state.withLock { $0 += count }
  }

  /// Adds a number of bytes unless the limit would be exceeded.
  ///
  /// - Returns: Whether the bytes have been added.
  func take(_ count: Int) -> Bool {
    state.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
  }
}

/// The bytes of a budget for the decoded and parsed body of one request.
///
/// They are released with the object.
final class BodyReservation: Sendable {
  private let budget: BodyBudget
  private let bytes = Mutex((taken: 0, wanted: 0))

  init(_ budget: BodyBudget) {
    self.budget = budget
  }

  deinit {
    release()
  }

  /// Returns the taken bytes to the budget.
  ///
  /// Called at the end of the exchange, because the thread that has parsed the body may retain the
  /// reservation for a moment longer.
  func release() {
    let taken = bytes.withLock { bytes in
      defer { bytes.taken = 0 }
      return bytes.taken
    }
    budget.add(-taken)
  }

  /// The number of bytes that have been taken, and of those that were refused.
  var wanted: Int { bytes.withLock { $0.wanted } }

  /// Takes a number of bytes from the budget.
  ///
  /// - Returns: `false` if the limit would be exceeded.
  func take(_ count: Int) -> Bool {
    bytes.withLock { bytes in
      bytes.wanted += count
      guard budget.take(count) else { return false }
      bytes.taken += count
      return true
    }
  }
}

/// An estimate of the memory for the values of a body.
enum ParsedSize {
  /// The measured bytes for each object.
  ///
  /// An empty one needs fewer.
  static let bytesPerObject = 3_072
  /// The measured bytes for each array.
  static let bytesPerArray = 256
  /// The measured bytes for each other value or name.
  static let bytesPerValue = 64

  /// Returns the estimated size of the values of a body, in bytes.
  ///
  /// Of JSON, it counts the marks before values, and of other bodies the `&` between the fields of a
  /// form. The texts of the values are not counted.
  static func estimate(of body: Data) -> Int {
    body.withUnsafeBytes { bytes in
      guard let first = bytes.first(where: { !" \t\r\n".utf8.contains($0) }) else { return 0 }
      let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      var count = 0
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "{") where isJSON: count += bytesPerObject
        case UInt8(ascii: "[") where isJSON: count += bytesPerArray
        case UInt8(ascii: ",") where isJSON, UInt8(ascii: ":") where isJSON,
          UInt8(ascii: "&") where !isJSON:
          count += bytesPerValue
        default: break
        }
      }
      return count
    }
  }
}
