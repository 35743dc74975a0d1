/// The secrets in the path of a webhook's URL.
///
/// The URL of a webhook is its only credential:
///
/// - `hooks.slack.com/services/T0000/B0000/secret`
/// - `discord.com/api/webhooks/1234/secret`
/// - `example.webhook.office.com/webhookb2/secret/IncomingWebhook/secret/secret`
/// - `api.telegram.org/bot1234:secret/sendMessage`
///
/// After a host label or a segment `hooks`, or one that contains `webhook`, each segment that looks
/// like generated text is secret: 16 or more letters, digits, and punctuation without a word of
/// only lower-case letters, or 6 or more with both letters and digits.
enum WebhookPath {
  /// Returns the ranges of the secrets.
  ///
  /// - Parameter url: An authority and a path, or a path.
  /// - Returns: The ranges, in ascending order.
  static func secrets(in url: Slice<UnsafeBufferPointer<UInt8>>) -> [Range<Int>] {
    var secrets: [Range<Int>] = []
    var isAfterHook = false
    var start = url.startIndex
    while start < url.endIndex {
      let end = url[start...].firstIndex(of: UInt8(ascii: "/")) ?? url.endIndex
      let segment = url[start..<end]
      if let secret = telegramToken(in: segment) {
        secrets.append(secret)
      } else if namesHook(segment) {
        isAfterHook = true
      } else if isAfterHook, isGenerated(segment) {
        secrets.append(start..<end)
      }
      start = end + 1
    }
    return secrets
  }

  private static func namesHook(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard 5...253 ~= segment.count else { return false }
    // User information may precede a host.
    let start = segment.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? segment.startIndex
    if start < segment.endIndex, matches(hooks, segment, at: start) {
      let next = start + hooks.utf8CodeUnitCount
      return next == segment.endIndex || segment[next] == UInt8(ascii: ".")
    }
    return segment.indices.contains { matches(webhook, segment, at: $0) }
  }

  private static let hooks: StaticString = "hooks"
  private static let webhook: StaticString = "webhook"

  /// Returns whether a text, in lower case, is at a position, in any case.
  private static func matches(
    _ text: StaticString, _ segment: Slice<UnsafeBufferPointer<UInt8>>, at position: Int
  ) -> Bool {
    text.withUTF8Buffer { text in
      guard segment[position] | 0x20 == text[0], position + text.count <= segment.endIndex
      else { return false }
      return text.indices.allSatisfy { segment[position + $0] | 0x20 == text[$0] }
    }
  }

  private static func isGenerated(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard segment.count >= 6 else { return false }
    var (letters, capitals, digits) = (0, 0, 0)
    for byte in segment {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): (letters, capitals) = (letters + 1, capitals + 1)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): letters += 1
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"),
        UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: ":"):
        continue
      default: return false
      }
    }
    if digits > 0, letters > 0 { return true }
    // Names such as `IncomingWebhook` have few capitals.
    return segment.count >= 16 && capitals * 4 >= letters && letters > capitals
  }

  /// Returns the part of `bot1234:secret` after the colon.
  private static func telegramToken(in segment: Slice<UnsafeBufferPointer<UInt8>>) -> Range<Int>? {
    guard segment.starts(with: "bot".utf8), let colon = segment.firstIndex(of: UInt8(ascii: ":")),
      colon > segment.startIndex + 3, segment.endIndex - colon > 20,
      segment[(segment.startIndex + 3)..<colon].allSatisfy({ 0x30...0x39 ~= $0 })
    else { return nil }
    return colon + 1..<segment.endIndex
  }
}
