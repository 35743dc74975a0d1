import Foundation

/// Pairs in free text, such as `{"name": "password", "value": "s3cret"}`.
///
/// A pair can also be an operation of a JSON Patch, as in `{"path": "/password", "value": "s3cret"}`;
/// an array, as in `[["password", "s3cret"]]`; two attributes, as in
/// `<input name="password" value="s3cret">`; an attribute and the text of the element, as in
/// `<param name="password">s3cret</param>`; or two elements, as in
/// `<key>password</key><string>s3cret</string>`.
///
/// Source: RFC 6902 section 4; RFC 6901.
extension TextMasker {
  /// The limit for the value of a member such as `name`, which may itself be the name of a secret.
  static let maximumPairNameLength = 32
  /// The limit for the value of a member `path`, whose last segment may be the name of a secret.
  private static let maximumPathLength = 128
  /// The limit for the reported part of a value within a masked value.
  private static let maximumNestedLength = 1_024
  /// The limit for the members such as `name` and `type` that name one value.
  static let maximumPairNames = 4

  /// The members of an object that name a value, and the value.
  struct Pair {
    /// The values of the last members such as `name`, until the end of the object.
    var names: [(text: Range<Int>, isPath: Bool)] = []
    /// The start of the last member `value` that no `name` has preceded in its object.
    var value: Int?
    /// Whether that member is `content`, which a path does not name.
    var isContent = false
    /// The text of the element whose attributes are read.
    var elementText: Range<Int>?
  }

  enum PairRole {
    case name
    /// The name is the last segment of a path such as `/user/password`.
    case path
    case value
    /// A value that a path does not name, because it is the content of a file.
    case content
  }

  private static let roles: [String: PairRole] = {
    let names = pairNames.filter { $0.utf8.allSatisfy { $0 >= 0x60 } }.map { ($0, PairRole.name) }
    let values = ["value", "val", "values"].map { ($0, PairRole.value) }
    return Dictionary(names + values + [("path", .path), ("content", .content)]) { $1 }
  }()

  /// The names of members that name a value, in the usual cases: `name`, `Name`, `NAME`.
  private static let pairNames = [
    "name", "key", "field", "header", "param", "parameter", "property", "id", "type", "label",
    "attribute", "path",
  ].flatMap { [$0, $0.capitalized, $0.uppercased()] }

  private static let roleStart = ByteClass("nkfhpvitlacNKFHPVITLAC")

  /// Returns the role of a member in a pair such as `{"name": "password", "value": "s3cret"}`.
  static func pairRole(of name: String) -> PairRole? {
    // Fast path: most names are no roles.
    guard 2...9 ~= name.utf8.count, let first = name.utf8.first, roleStart[first] else {
      return nil
    }
    return roles[name.lowercased()]
  }

  /// Returns the names that siblings such as `name` give to a member such as `value`.
  ///
  /// - Parameters:
  ///   - member: The name of the member.
  ///   - sibling: A closure that returns the text of another member, or `nil` if it has none.
  /// - Returns: The names.
  static func pairedNames(of member: String, _ sibling: (String) -> String?) -> [String] {
    let role = pairRole(of: member)
    guard role == .value || role == .content else { return [] }
    let names = pairNames.compactMap { name -> String? in
      guard let text = sibling(name) else { return nil }
      guard pairRole(of: name) == .path else { return isPairName(text) ? text : nil }
      let segment = String(decoding: text.utf8[namingSegment(of: text.utf8)], as: UTF8.self)
      return role == .value && isPairName(segment) ? segment : nil
    }
    return Array(names.prefix(maximumPairNames))
  }

  /// Returns the name in an array such as `["password", "s3cret"]`, or `nil` if it is no pair.
  ///
  /// An array that is not an element of an array may list names, so its second element must look
  /// like a secret: `"required": ["password", "email"]`.
  ///
  /// - Parameters:
  ///   - first: The first of the two elements, or `nil` if it is no text.
  ///   - second: The second element, or `nil` if it is no text.
  ///   - isElement: Whether the array is an element of an array.
  /// - Returns: The name, or `nil`.
  static func pairName(_ first: String?, _ second: String?, inArray isElement: Bool) -> String? {
    guard let first, isPairName(first) else { return nil }
    let isPair = isElement || second.map { SecretSensitivity.weak.isSecret($0) } == true
    return isPair ? first : nil
  }

  /// Returns the segment of a path that names its value: `password` in `/users/7/password` and
  /// `/password/0`, and in `user.password`.
  ///
  /// Positions in arrays and names such as `value` are skipped.
  static func namingSegment<Bytes: BidirectionalCollection<UInt8>>(
    of path: Bytes
  ) -> Range<Bytes.Index> {
    let separator = UInt8(ascii: path.contains(UInt8(ascii: "/")) ? "/" : ".")
    let segments = path.split(separator: separator, omittingEmptySubsequences: false)
    let segment = segments.last { !isPosition($0) } ?? segments[0]
    return segment.startIndex..<segment.endIndex
  }

  /// Returns whether a segment of a path is a position in an array, or says nothing about a value.
  private static func isPosition(_ segment: some Collection<UInt8>) -> Bool {
    segment.elementsEqual("-".utf8) || segment.allSatisfy(\.isASCIIDigit)
      || ["value", "id", "data", "text", "raw"].contains { segment.elementsEqual($0.utf8) }
  }

  /// Returns whether the value of a member such as `label` can be the name of a secret.
  ///
  /// A sentence is not a name.
  static func isPairName(_ text: String) -> Bool {
    text.utf8.count < maximumPairNameLength && text.utf8.count(where: { $0 == 0x20 }) < 2
  }

  /// Masks the value of a member such as `value` if one of the preceding names is secret.
  ///
  /// - Returns: The end of the masked value, or `nil` if the value is kept.
  mutating func maskPaired(_ value: Value, isContent: Bool) -> Int? {
    guard !pair.names.isEmpty else {
      (pair.value, pair.isContent) = (Self.opening(of: value), isContent)
      return nil
    }
    let names = pair.names.filter { !($0.isPath && isContent) }.map { scanner.text($0.text) }
    pair.names = []
    for name in names {
      if let end = mask(value, named: name) { return end }
    }
    return nil
  }

  /// Notes the value of a member such as `name`, and masks a preceding member `value`, or the text
  /// of the element, if that name is secret.
  mutating func noteName(_ value: Value, of member: String, isPath: Bool) {
    let length = isPath ? Self.maximumPathLength : Self.maximumPairNameLength
    let limit = value.start + budget.sampleLength(length, at: value.start)
    let nameEnd = end(of: value, limit: limit)
    budget.add(nameEnd - value.start)
    guard nameEnd < limit else { return }
    var range = value.start..<max(nameEnd, value.start)
    if isPath { range = Self.namingSegment(of: scanner.bytes[range]) }
    let name = scanner.text(range)
    guard Self.isPairName(name) else { return }
    if range.upperBound < tagEnd, !isPath {
      elementName = range
      noteSecretElement(named: name, by: member)
      if let text = pair.elementText, maskText(text, named: name) { pair.elementText = nil }
    }
    guard let start = pair.value else {
      if pair.names.count == Self.maximumPairNames { pair.names.removeFirst() }
      return pair.names.append((range, isPath))
    }
    if isPath, pair.isContent { return }
    guard let paired = self.value(at: start) else { return pair.value = nil }
    // Without a limit, each value within a masked one could be searched to the end of the text.
    let isMasked = paired.start < maskedPairEnd
    if let end = mask(paired, named: name, limit: isMasked ? Self.maximumNestedLength : .max) {
      pair.value = nil
      maskedPairEnd = max(maskedPairEnd, end)
    }
  }
}

// MARK: - Arrays

extension TextMasker {
  /// Masks the second element of an array such as `["password", "s3cret"]` if its first element
  /// names a secret.
  ///
  /// An array of arrays has pairs. Another array may list names, so its second element must look
  /// like a secret: `"required": ["password", "email"]`.
  ///
  /// - Parameter name: The name, in quotation marks.
  /// - Returns: The end of the masked element, or `nil` if the element is kept.
  mutating func maskArrayPair(_ name: Range<Int>) -> Int? {
    // Fast path: most names have no quotation marks.
    guard scanner.has("\"", at: name.upperBound) || scanner.has("\\", at: name.upperBound),
      let comma = positionAfterMark(at: name.upperBound), scanner.has(",", at: comma),
      let value = value(at: skipSpace(from: comma + 1))
    else { return nil }
    if case .container = value.kind { return nil }
    let text = scanner.text(name)
    guard names.contains(text), let isPair = isInArrayOfArrays(name) else { return nil }
    let end = end(of: value)
    var next = skipSpace(from: end)
    // A value without its closing mark ends with the text.
    if case .quoted = value.kind { next = positionAfterMark(at: end) ?? scanner.end }
    guard next >= scanner.end || scanner.has("]", at: next),
      isPair || SecretSensitivity.weak.isSecret(scanner.text((value.start..<end).prefix(128)))
    else { return nil }
    return mask(value, named: text)
  }

  /// Returns the position after a quotation mark, which may be escaped, and white space.
  private mutating func positionAfterMark(at position: Int) -> Int? {
    let mark = scanner.end(of: .backslash, from: position)
    guard mark < scanner.end else { return nil }
    return scanner.has("\"", at: mark) || scanner.has("'", at: mark)
      ? skipSpace(from: mark + 1) : nil
  }

  /// Returns whether the array that starts with a name is itself the element of an array, or `nil`
  /// if the name is not the first element of an array.
  private mutating func isInArrayOfArrays(_ name: Range<Int>) -> Bool? {
    guard scanner.has("\"", at: name.lowerBound - 1) else { return nil }
    let mark = scanner.start(of: .backslash, before: name.lowerBound - 1)
    let bracket = scanner.start(of: .space, before: mark) - 1
    guard scanner.has("[", at: bracket) else { return nil }
    let before = scanner.start(of: .space, before: bracket) - 1
    if scanner.has("[", at: before) { return true }
    return scanner.has(",", at: before)
      && scanner.has("]", at: scanner.start(of: .space, before: before) - 1)
  }
}
