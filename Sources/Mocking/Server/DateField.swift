import Foundation
import Networking

/// The value of a server's Date field, made anew once a second.
///
/// Source: RFC 9110 section 6.6.1.
struct DateField {
  private var second = Int.min
  private var text = ""

  /// The value at this moment.
  mutating func now() -> String {
    let now = time(nil)
    if now != second {
      second = now
      text = HTTPDate.text(of: Date(timeIntervalSince1970: Double(now)))
    }
    return text
  }
}
