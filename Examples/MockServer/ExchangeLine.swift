import Foundation
import Mocking

/// A request in one line: when, method, target, status, bytes of the body, and how long it took.
///
/// Values in the query whose names tell that they are secrets are masked.
struct ExchangeLine: CustomStringConvertible {
  let description: String

  init(_ exchange: ServedExchange, at date: Date) {
    let now = Self.calendar.dateComponents([.hour, .minute, .second], from: date)
    let time = [now.hour, now.minute, now.second]
      .map { Self.padded("\($0 ?? 0)", to: 2, with: "0") }.joined(separator: ":")
    let method = exchange.request?.method.rawValue ?? "?"
    let target = exchange.request.map { Redactor.standard.maskedURL($0.target) } ?? "(malformed)"
    let tenths = Int(exchange.duration / .microseconds(100))
    var line =
      "\(time)  \(Self.filled(method, to: 7)) \(Self.filled(target, to: 32)) "
      + "\(exchange.status.map(String.init) ?? "---") "
      + "\(Self.padded("\(exchange.bodyByteCount)", to: 9)) B "
      + "\(Self.padded("\(tenths / 10).\(tenths % 10)", to: 8)) ms"
    if exchange.ending != .complete { line += "  \(exchange.ending)" }
    description = line
  }

  private static let calendar = Calendar.current

  private static func padded(_ text: String, to width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: max(width - text.count, 0)) + text
  }

  private static func filled(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }
}
