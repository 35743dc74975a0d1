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
  private typealias Segment = Slice<UnsafeBufferPointer<UInt8>>

  private static let generated = ByteClass("-_.~@%=:", alphanumeric: true)

  /// Returns the ranges of the secrets.
  ///
  /// - Parameter url: An authority and a path, or a path.
  /// - Returns: The ranges, in ascending order.
  static func secrets(in url: Slice<UnsafeBufferPointer<UInt8>>) -> [Range<Int>] {
    // Fast path: each form has one of these characters.
    guard url.contains(where: { $0.isOne(of: "kK:") }) else { return [] }
    var isAfterHook = false
    return url.split(separator: UInt8(ascii: "/")).compactMap { segment in
      if let secret = telegramToken(in: segment) { return secret }
      if namesHook(segment) {
        isAfterHook = true
        return nil
      }
      return isAfterHook && isGenerated(segment) ? segment.startIndex..<segment.endIndex : nil
    }
  }

  private static func namesHook(_ segment: Segment) -> Bool {
    guard 5...253 ~= segment.count else { return false }
    // User information may precede a host.
    let host = segment.lastIndex(of: UInt8(ascii: "@")).map { segment[($0 + 1)...] } ?? segment
    if starts(host, with: "hooks") {
      return host.count == 5 || host[host.startIndex + 5] == UInt8(ascii: ".")
    }
    return segment.indices.contains { starts(segment[$0...], with: "webhook") }
  }

  /// Returns whether a segment starts with a text in lower case, in any case.
  private static func starts(_ segment: Segment, with text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard let first = segment.first, first | 0x20 == text[0] else { return false }
      return segment.count >= text.count && zip(segment, text).allSatisfy { $0 | 0x20 == $1 }
    }
  }

  private static func isGenerated(_ segment: Segment) -> Bool {
    guard segment.count >= 6, segment.allSatisfy({ generated[$0] }) else { return false }
    let letters = segment.count { $0.isASCIIAlphanumeric && !$0.isASCIIDigit }
    if letters > 0, segment.contains(where: \.isASCIIDigit) { return true }
    // Names such as `IncomingWebhook` have few capitals.
    let capitals = segment.count { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    return segment.count >= 16 && capitals * 4 >= letters && letters > capitals
  }

  /// Returns the part of `bot1234:secret` after the colon.
  private static func telegramToken(in segment: Segment) -> Range<Int>? {
    guard segment.starts(with: "bot".utf8), let colon = segment.firstIndex(of: UInt8(ascii: ":")),
      colon > segment.startIndex + 3, segment.endIndex - colon > 20,
      segment[(segment.startIndex + 3)..<colon].allSatisfy(\.isASCIIDigit)
    else { return nil }
    return colon + 1..<segment.endIndex
  }
}
