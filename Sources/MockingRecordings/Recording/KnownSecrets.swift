import CatenaSystem
import Foundation
import Networking

/// The secret values of a recording, all occurrences of which are masked.
///
/// A value occurs again if, for example, a server echoes a password, or a token is part of a path.
/// Each value is replaced by its placeholder in its original form, in percent-encoding, in base64, as a
/// JSON string, and with entities of XML.
/// Only values of at least eight bytes with a letter and a digit are collected, because masking all
/// occurrences of `admin` or `1` would make the recording unusable.
final class KnownSecrets: Sendable {
  private struct State {
    var values: Set<String> = []
    /// The encoded forms of each value and their placeholder, in the order in which the values were
    /// added.
    var forms: [(texts: Set<String>, placeholder: String)] = []
    var search = MultiPatternSearch()
  }

  private let state = Mutex(State())
  private let placeholders: (any SecretPlaceholders)?

  /// Creates an empty set.
  ///
  /// - Parameter placeholders: The replacements of the values. `nil` replaces all by `***`.
  init(placeholders: (any SecretPlaceholders)? = nil) {
    self.placeholders = placeholders
  }

  /// Adds a value if it has at least eight bytes, a letter, and a digit, and no placeholder.
  func insert(_ value: String) {
    guard value.utf8.count >= 8, value.contains(where: \.isNumber),
      value.contains(where: \.isLetter), RecordingPlaceholder.ranges(in: value).isEmpty
    else { return }
    let isKnown = state.withLock { $0.values.contains(value) }
    guard !isKnown else { return }
    let data = Data(value.utf8)
    let base64 = data.base64EncodedString()
    let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    let json = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let forms = Set([
      value, FormURLCoding.encode(value), FormURLCoding.encode(value).replacing("%20", with: "+"),
      base64, String(base64.prefix { $0 != "=" }), urlSafe, FormURLCoding.encode(base64),
      String(json.dropFirst().dropLast()), Self.xml(value),
    ])
    let placeholder = placeholders?.text(for: value) ?? Redactor.mask
    state.withLock { state in
      guard state.values.insert(value).inserted else { return }
      state.forms.append((forms, placeholder))
      for form in forms { state.search.insert(form, replacement: placeholder) }
    }
  }

  /// Returns a text with entities of XML.
  private static func xml(_ text: String) -> String {
    guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
    return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }

  /// The number of values.
  var count: Int { state.withLock { $0.values.count } }

  /// Returns a search for the values, except for the first `count` ones.
  func search(after count: Int = 0) -> MultiPatternSearch {
    state.withLock { state in
      guard count > 0 else { return state.search }
      var search = MultiPatternSearch()
      for (forms, placeholder) in state.forms.dropFirst(count) {
        for form in forms { search.insert(form, replacement: placeholder) }
      }
      return search
    }
  }
}

/// A search for many patterns in one pass over a text.
///
/// The duration depends on the length of the text. The number of patterns that start with the same
/// eight bytes, such as web tokens, has an effect on it by its logarithm only.
struct MultiPatternSearch: Sendable {
  /// The minimum length of a pattern in bytes.
  static let minimumByteCount = 8

  private struct Pattern {
    let bytes: [UInt8]
    let replacement: String
  }

  /// The patterns by their first eight bytes, in the order of their bytes.
  private var patterns: [UInt64: [Pattern]] = [:]
  /// Whether a pattern may start with eight bytes, indexed by 16 bits of their hash.
  ///
  /// The filter rules out most positions without a dictionary lookup.
  private var filter: [Bool] = []

  /// Whether there are no patterns.
  var isEmpty: Bool { patterns.isEmpty }

  /// Adds a pattern if it is long enough.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - replacement: The replacement of its matches.
  mutating func insert(_ pattern: String, replacement: String) {
    let bytes = Array(pattern.utf8)
    guard bytes.count >= Self.minimumByteCount else { return }
    if filter.isEmpty { filter = Array(repeating: false, count: 1 << 16) }
    let start = bytes.prefix(Self.minimumByteCount).reduce(0) { $0 << 8 | UInt64($1) }
    let pattern = Pattern(bytes: bytes, replacement: replacement)
    let position = patterns[start].map { Self.position(of: bytes[...], in: $0) } ?? 0
    patterns[start, default: []].insert(pattern, at: position)
    filter[Self.hash(start)] = true
  }

  /// Replaces all matches in a text.
  ///
  /// Overlapping matches are replaced as one, by the replacement of the first. A placeholder ends
  /// with another asterisk if a letter or a digit follows, see `RecordingPlaceholder`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The text with the replacements, or `nil` if there is no match.
  func replacing(in text: String) -> String? {
    guard !isEmpty, text.utf8.count >= Self.minimumByteCount else { return nil }
    var text = text
    return text.withUTF8 { bytes in
      let matches = matches(in: bytes)
      guard !matches.isEmpty else { return nil }
      var output: [UInt8] = []
      var position = 0
      for (range, replacement) in matches {
        output += bytes[position..<range.lowerBound]
        output += replacement.utf8
        position = range.upperBound
        if position < bytes.count, bytes[position].isASCIIAlphanumeric,
          replacement.utf8.last?.isASCIIAlphanumeric == true
        {
          output.append(UInt8(ascii: "*"))
        }
      }
      output += bytes[position...]
      return String(decoding: output, as: UTF8.self)
    }
  }

  private func matches(
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> [(range: Range<Int>, replacement: String)] {
    var matches: [(range: Range<Int>, replacement: String)] = []
    var window: UInt64 = 0
    for index in bytes.indices {
      window = window << 8 | UInt64(bytes[index])
      let start = index + 1 - Self.minimumByteCount
      guard start >= 0, filter[Self.hash(window)], let candidates = patterns[window] else {
        continue
      }
      guard let longest = Self.longestPrefix(of: bytes[start...], in: candidates) else { continue }
      let end = start + longest.bytes.count
      if let last = matches.last, start < last.range.upperBound {
        matches[matches.count - 1].range =
          last.range.lowerBound..<max(last.range.upperBound, end)
      } else {
        matches.append((start..<end, longest.replacement))
      }
    }
    return matches
  }

  /// Returns the longest pattern at the start of a text.
  private static func longestPrefix(
    of text: Slice<UnsafeBufferPointer<UInt8>>, in patterns: [Pattern]
  ) -> Pattern? {
    var text = text
    while true {
      let position = position(of: text, in: patterns)
      guard position > 0 else { return nil }
      let pattern = patterns[position - 1]
      let common = zip(text, pattern.bytes).prefix { $0 == $1 }.count
      if common == pattern.bytes.count { return pattern }
      // Other patterns at the start of the text are also at the start of this one.
      text = text.prefix(common)
    }
  }

  /// Returns the number of the patterns that are less than or equal to a text.
  private static func position(
    of text: some RandomAccessCollection<UInt8>, in patterns: [Pattern]
  ) -> Int {
    var (low, high) = (0, patterns.count)
    while low < high {
      let middle = (low + high) / 2
      if text.lexicographicallyPrecedes(patterns[middle].bytes) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  private static func hash(_ window: UInt64) -> Int {
    Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48)
  }
}
