import Networking

/// A value inside of a body, such as the item in `{"data": {…}}`.
struct EnvelopedValue: Sendable, Hashable {
  /// The names of the members that lead to the value.
  ///
  /// Empty if the body is the value itself.
  let path: [String]
  /// The schema of the value: of a list, that of its elements.
  let schema: Int
}

extension SchemaProgram {
  /// The limit for the number of values in which an item or a list is looked for, which bounds the time for
  /// schemas with many members at both levels.
  private static let maximumValueCount = 1_000

  /// Returns the members of an object and those of its members, the first level before the second.
  ///
  /// At most ``maximumValueCount``, because an envelope has few members.
  ///
  /// - Parameters:
  ///   - schema: The schema of the object.
  ///   - isIncluded: Whether the members with a name are searched.
  /// - Returns: The values, each level in the order of the names.
  func values(
    in schema: Int, where isIncluded: (_ name: String) -> Bool = { _ in true }
  ) -> [EnvelopedValue] {
    func members(of value: EnvelopedValue) -> [EnvelopedValue] {
      memberSchemas(of: value.schema).filter { isIncluded($0.key) }.sorted { $0.key < $1.key }
        .map { EnvelopedValue(path: value.path + [$0.key], schema: $0.value) }
    }
    let outer = members(of: EnvelopedValue(path: [], schema: schema))
    var values = outer
    for value in outer where values.count < Self.maximumValueCount { values += members(of: value) }
    return Array(values.prefix(Self.maximumValueCount))
  }

  /// Returns the lists in a body: the body itself, or the arrays in an object within two levels.
  func lists(in schema: Int) -> [EnvelopedValue] {
    if let element = elementSchema(of: schema) {
      return [EnvelopedValue(path: [], schema: element)]
    }
    return values(in: schema).compactMap { value in
      guard types(of: value.schema).contains(.array) else { return nil }
      return elementSchema(of: value.schema).map { EnvelopedValue(path: value.path, schema: $0) }
    }
  }

  /// Returns the names of the members of an object.
  func memberNames(of schema: Int) -> Set<String> { Set(memberSchemas(of: schema).keys) }

  /// Returns the schema of a value inside of a body, or `nil` if the body has no such members.
  func schema(at path: some Sequence<String>, in schema: Int?) -> Int? {
    path.reduce(schema) { schema, name in schema.flatMap { memberSchemas(of: $0)[name] } }
  }
}

extension JSON {
  /// The value to which the names of members lead: this value if there are none.
  ///
  /// `null` if a member is missing. A new value makes the objects that lead to it.
  subscript(at path: some Collection<String>) -> JSON {
    get { path.reduce(self) { $0[$1] } }
    set {
      guard let name = path.first else { return self = newValue }
      self[name][at: Array(path.dropFirst())] = newValue
    }
  }
}
