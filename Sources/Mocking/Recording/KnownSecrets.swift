import Foundation
import Networking
import Synchronization

/// The values that were masked for their names, to be masked wherever else they turn up.
///
/// So a password that a server sends back, or a token that becomes part of a path, goes too: as it is, in
/// percent-encoding and in base64. Only values of eight characters and more, with a letter and a digit, are
/// kept in mind; to mask every `admin` or `1` would take the recording apart.
final class KnownSecrets: Sendable {
  private struct State {
    var values: Set<String> = []
    /// In all their forms, each value's together, in the order in which they were learned.
    var forms: [Set<String>] = []
    var search = MultiPatternSearch()
  }

  private let state = Mutex(State())

  /// Keeps a value in mind.
  func learn(_ value: String) {
    guard value.utf8.count >= 8, value.contains(where: \.isNumber),
      value.contains(where: \.isLetter)
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
      String(json.dropFirst().dropLast()),
    ])
    state.withLock { state in
      guard state.values.insert(value).inserted else { return }
      state.forms.append(forms)
      for form in forms { state.search.insert(form) }
    }
  }

  /// How many there are.
  var count: Int { state.withLock { $0.values.count } }

  /// Looks for those learned after so many.
  func search(after count: Int = 0) -> MultiPatternSearch {
    state.withLock { state in
      guard count > 0 else { return state.search }
      var search = MultiPatternSearch()
      for forms in state.forms.dropFirst(count) {
        for form in forms { search.insert(form) }
      }
      return search
    }
  }
}

extension MultiPatternSearch {
  /// Masks in a text what is found; whether there was any.
  func mask(_ text: inout String) -> Bool {
    guard let masked = replacing(in: text, with: Redaction.mask) else { return false }
    text = masked
    return true
  }

  /// Masks in all of a request what is found; whether there was any.
  func mask(_ request: inout HAR.Request) -> Bool {
    var hasChanged = mask(&request.url)
    for index in request.headers.indices where mask(&request.headers[index].value) {
      hasChanged = true
    }
    if let body = request.postData, body.encoding == nil, var text = body.text, mask(&text) {
      request.postData?.text = text
      hasChanged = true
    }
    return hasChanged
  }

  /// Masks in all of an exchange what is found; whether there was any.
  func mask(_ entry: inout HAR.Entry) -> Bool {
    var hasChanged = mask(&entry.request)
    for index in entry.response.headers.indices where mask(&entry.response.headers[index].value) {
      hasChanged = true
    }
    if var detail = entry.response.errorDetail, mask(&detail) {
      entry.response.errorDetail = detail
      hasChanged = true
    }
    if entry.response.content.encoding == nil, var text = entry.response.content.text, mask(&text) {
      entry.response.content.replaceText(text)
      hasChanged = true
    }
    return hasChanged
  }
}

/// Looks for many texts at once, in one pass over another.
///
/// The cost is that of the text alone, however many are looked for.
struct MultiPatternSearch: Sendable {
  /// The least that can be looked for, in bytes.
  static let minimumByteCount = 8

  /// By their first eight bytes.
  private var wanted: [UInt64: [[UInt8]]] = [:]
  /// Which beginnings there may be, by sixteen bits of their hash: most of a text is passed over by it.
  private var filter: [Bool] = []

  /// Whether nothing is looked for.
  var isEmpty: Bool { wanted.isEmpty }

  /// Looks for a text, too, if it is long enough.
  mutating func insert(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.minimumByteCount else { return }
    if filter.isEmpty { filter = Array(repeating: false, count: 1 << 16) }
    let start = bytes.prefix(Self.minimumByteCount).reduce(0) { $0 << 8 | UInt64($1) }
    wanted[start, default: []].append(bytes)
    filter[Self.hash(start)] = true
  }

  /// A text with all that is found in it replaced; what overlaps is replaced as one.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - replacement: what stands there instead.
  /// - Returns: the text; nil when nothing is found.
  func replacing(in text: String, with replacement: String) -> String? {
    guard !isEmpty, text.utf8.count >= Self.minimumByteCount else { return nil }
    var text = text
    return text.withUTF8 { bytes in
      let found = ranges(in: bytes)
      guard !found.isEmpty else { return nil }
      var kept: [UInt8] = []
      var position = 0
      for range in found {
        kept += bytes[position..<range.lowerBound]
        kept += replacement.utf8
        position = range.upperBound
      }
      kept += bytes[position...]
      return String(decoding: kept, as: UTF8.self)
    }
  }

  private func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var window: UInt64 = 0
    for index in bytes.indices {
      window = window << 8 | UInt64(bytes[index])
      let start = index + 1 - Self.minimumByteCount
      guard start >= 0, filter[Self.hash(window)], let candidates = wanted[window] else { continue }
      let rest = bytes[start...]
      guard let length = candidates.filter({ rest.starts(with: $0) }).map(\.count).max() else {
        continue
      }
      let end = start + length
      if let last = found.last, start < last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        found.append(start..<end)
      }
    }
    return found
  }

  private static func hash(_ window: UInt64) -> Int {
    Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48)
  }
}
