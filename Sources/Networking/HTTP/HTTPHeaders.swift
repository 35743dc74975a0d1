/// The header fields of a request or a response, in order.
///
/// Names are compared case-insensitively and keep their spelling. A name may have several values,
/// which keep their order. The storage is an array. A search for a name is linear, because messages
/// have few fields; more than 32 fields have an index, so that a search takes constant time.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.add("no-cache", for: "Cache-Control")
/// headers["Accept"] = nil
/// ```
///
/// The type accepts any names and values. They are checked when a request is built: a name that is
/// not a token, or a value with CR, LF, NUL, or another control character, fails the request with
/// ``NetworkError/Code-swift.enum/invalidHeader`` before anything is sent.
///
/// Source: RFC 9110 section 5.
public struct HTTPHeaders: Sendable {
  /// A header field with one value.
  public struct Field: Sendable, Hashable, Codable {
    /// The name in its original spelling.
    public var name: String
    /// The value, which may be empty.
    public var value: String

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in order.
  public private(set) var fields: [Field]
  /// The parts that few headers have, in one word, so that a copy of the others costs little.
  private indirect enum Rest: Sendable {
    /// - Parameters:
    ///   - index: The positions of the fields by the hashes of their names. `nil` for few fields, for
    ///     which a linear search is faster.
    ///   - names: The rules of a client with names of its own. `nil` for the standard rules.
    case rest(index: [Int: [Int]]?, names: SecretNames?)
  }

  private var rest: Rest?

  private var index: [Int: [Int]]? { if case .rest(let index, _) = rest { index } else { nil } }

  private var ownNames: SecretNames? { if case .rest(_, let names) = rest { names } else { nil } }

  private mutating func setRest(_ index: [Int: [Int]]?, _ names: SecretNames?) {
    rest = index == nil && names == nil ? nil : .rest(index: index, names: names)
  }

  /// The maximum number of fields without an index.
  static let maximumUnindexed = 32

  /// The rules of the client that has built or received the fields, which decide which values are
  /// masked in descriptions.
  var secretNames: SecretNames {
    get { ownNames ?? .standard }
    set { setRest(index, newValue === SecretNames.standard ? nil : newValue) }
  }

  /// Creates headers from fields.
  ///
  /// - Parameter fields: The fields in order. A name may occur more than once.
  public init(_ fields: [Field] = []) {
    self.fields = fields
    if fields.count > Self.maximumUnindexed { updateIndex() }
  }

  /// The combined value of a name, or `nil` if there is none.
  ///
  /// Several values are joined by `, `. `Set-Cookie` cannot be joined, so its first value is
  /// returned. Setting a value replaces all values of the name, at the position of the first one.
  /// Setting `nil` removes them.
  ///
  /// Source: RFC 9110 section 5.3.
  ///
  /// - Parameter name: The name, in any case.
  public subscript(name: String) -> String? {
    get {
      guard let first = firstIndex(of: name) else { return nil }
      let isOnlyValue =
        index == nil && !fields[(first + 1)...].contains { Self.areNamesEqual($0.name, name) }
      if isOnlyValue || Self.areNamesEqual(name, "Set-Cookie") { return fields[first].value }
      return values(for: name).joined(separator: ", ")
    }
    set {
      guard let newValue else { return remove(name) }
      guard let index = firstIndex(of: name) else { return add(newValue, for: name) }
      fields[index] = Field(name: name, value: newValue)
      removeAll(name, after: index)
    }
  }

  /// Returns all values of a name.
  ///
  /// - Parameter name: The name, in any case.
  /// - Returns: The values in order, or an empty array if there are none.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    if let positions = candidates(for: name) {
      for position in positions where Self.areNamesEqual(fields[position].name, name) {
        values.append(fields[position].value)
      }
      return values
    }
    for field in fields where Self.areNamesEqual(field.name, name) { values.append(field.value) }
    return values
  }

  /// Returns whether there is a field with a name.
  ///
  /// - Parameter name: The name, in any case.
  /// - Returns: `true` if there is at least one field. Its value may be empty.
  public func contains(_ name: String) -> Bool { firstIndex(of: name) != nil }

  /// Appends a field.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name.
  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
    guard fields.count > Self.maximumUnindexed else { return }
    guard case .rest(var index?, let names) = rest else { return updateIndex() }
    // Released, so that the index is not copied.
    rest = nil
    index[Self.hash(of: name), default: []].append(fields.count - 1)
    setRest(index, names)
  }

  /// Removes all values of a name.
  ///
  /// - Parameter name: The name, in any case.
  public mutating func remove(_ name: String) {
    if index != nil, firstIndex(of: name) == nil { return }
    fields.removeAll { Self.areNamesEqual($0.name, name) }
    updateIndex()
  }

  /// Removes all values of several names, in linear time.
  ///
  /// - Parameter others: Fields with the names.
  package mutating func removeNames(of others: HTTPHeaders) {
    removeAll { others.contains($0.name) }
  }

  /// Removes the fields for which a closure returns `true`.
  mutating func removeAll(where isRemoved: (Field) -> Bool) {
    fields.removeAll(where: isRemoved)
    updateIndex()
  }

  /// Returns these headers merged with other headers.
  ///
  /// - Parameter others: The headers to append. They replace all values of the same names.
  /// - Returns: The merged headers.
  public func merging(_ others: HTTPHeaders) -> HTTPHeaders {
    // Fast path: an endpoint whose values have no fields, or only those of the type.
    if others.rest == nil, others.isEmpty || others.fields == fields { return self }
    var merged = self
    merged.fields = fields.filter { !others.contains($0.name) } + others.fields
    if ownNames == nil { merged.secretNames = others.secretNames }
    merged.updateIndex()
    return merged
  }

  private func firstIndex(of name: String) -> Int? {
    if let positions = candidates(for: name) {
      return positions.first { Self.areNamesEqual(fields[$0].name, name) }
    }
    return fields.firstIndex { Self.areNamesEqual($0.name, name) }
  }

  private mutating func removeAll(_ name: String, after first: Int) {
    // Linear only if there is another value.
    if let positions = candidates(for: name), positions.last ?? first <= first { return }
    let kept = fields[(first + 1)...].filter { !Self.areNamesEqual($0.name, name) }
    fields.replaceSubrange((first + 1)..., with: kept)
    updateIndex()
  }

  // MARK: Index

  /// Returns the positions of the fields that a search for a name compares, in order.
  ///
  /// `nil` if it compares all fields.
  func candidates(for name: String) -> [Int]? {
    guard let index else { return nil }
    return index[Self.hash(of: name)] ?? []
  }

  /// Builds the index again, or removes it.
  private mutating func updateIndex() {
    guard fields.count > Self.maximumUnindexed else {
      // Usually there is nothing to remove.
      if rest != nil { setRest(nil, ownNames) }
      return
    }
    setRest(Dictionary(grouping: fields.indices) { Self.hash(of: fields[$0].name) }, ownNames)
  }

  /// Returns a hash that equal names have in common.
  private static func hash(of name: String) -> Int {
    var hasher = Hasher()
    for byte in name.utf8 { hasher.combine(byte.lowercasedASCII) }
    return hasher.finalize()
  }

  /// Returns whether two names are equal.
  ///
  /// Only the case of ASCII letters is ignored, because names are tokens.
  static func areNamesEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Fast path: most names have the same spelling.
    return left == right
      || zip(left.utf8, right.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from a literal, in its order.
  ///
  /// - Parameter elements: The names and values. A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: Sequence {
  /// Returns an iterator over ``fields``.
  ///
  /// - Returns: An iterator over the fields in order.
  public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

  /// The number of fields.
  public var count: Int { fields.count }

  /// A Boolean value that indicates whether there are no fields.
  public var isEmpty: Bool { fields.isEmpty }
}

extension HTTPHeaders: Hashable {
  /// Returns whether two headers have equal fields in the same order.
  ///
  /// Names are compared case-insensitively.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.count == right.fields.count
      && zip(left.fields, right.fields).allSatisfy {
        $0.value == $1.value && areNamesEqual($0.name, $1.name)
      }
  }

  /// Hashes values and lowercased names.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.name.lowercased())
      hasher.combine(field.value)
    }
  }
}

/// Returns pairs sorted by their keys.
///
/// It has the only specialization of `sorted(by:)` for pairs of texts, which needs 4 KB.
@inline(never)
func sortedByKey(_ pairs: [(key: String, value: String)]) -> [(key: String, value: String)] {
  pairs.sorted { $0.key < $1.key }
}

extension HTTPHeaders: Codable {
  /// Decodes headers from an array of fields.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: Errors of the decoder.
  public init(from decoder: any Decoder) throws { self.init(try [Field](from: decoder)) }

  /// Encodes an array of fields.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension HTTPHeaders: BrieflyDescribed {
  /// A description without secrets: `["Accept": "*/*", "Authorization": "***"]`.
  ///
  /// The values of secret names are masked, also in the output of `dump` and debuggers. ``fields``
  /// contains them.
  public var description: String {
    let fields = redacted().fields.map {
      "\($0.name.debugDescription): \($0.value.debugDescription)"
    }
    return fields.isEmpty ? "[:]" : "[\(fields.joined(separator: ", "))]"
  }

  /// A mirror of the fields without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: redacted().fields.map { ($0.name, $0.value) })
  }
}

extension HTTPHeaders.Field: BrieflyDescribed {
  /// A description without secrets: `Authorization: ***`.
  public var description: String { "\(name): \(redactedValue)" }

  /// A mirror of the name and the masked value.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": redactedValue])
  }
}

extension HTTPHeaders {
  /// Returns the headers with their secrets masked for display.
  ///
  /// - Parameter redactor: The redactor. `nil` uses the rules of the client that has built or
  ///   received the fields.
  /// - Returns: Fields with the same names, in the same order.
  package func redacted(by redactor: Redactor? = nil) -> HTTPHeaders {
    let redactor = redactor ?? Redactor(names: secretNames)
    // Usually no field is secret, and the array is not copied.
    var masked = fields
    for (index, field) in fields.enumerated() {
      let value = redactor.maskedFieldValue(field.value, name: field.name)
      if value != field.value { masked[index].value = value }
    }
    return HTTPHeaders(masked)
  }
}

extension HTTPHeaders.Field {
  /// The value with its secrets masked for display.
  private var redactedValue: String { Redactor.standard.maskedFieldValue(value, name: name) }

  /// Returns whether a redactor masks the field, because of its name or its value.
  ///
  /// An idempotency key counts as no secret: without it, the server could process the request twice.
  func isSecret(by redactor: Redactor) -> Bool {
    if HTTPHeaders.areNamesEqual(HTTPHeaders.idempotencyKeyName, name) { return false }
    return redactor.isSecret(name: name)
      || redactor.maskedFieldValue(value, name: name) != value
  }
}
