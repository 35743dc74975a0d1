public import Foundation

extension Parameters {
  /// The value of a member, or `nil` if this is not a dictionary or has no such member.
  ///
  /// Setting a member turns a value that is not a dictionary into a dictionary. Setting `nil`
  /// removes the member.
  ///
  /// - Parameter name: The name of the member.
  public subscript(name: String) -> Parameters? {
    get { members[name] }
    set {
      var members = members
      members[name] = newValue
      self = .dictionary(members)
    }
  }

  /// The element of an array at an index, or `nil` if this is not an array or the index is out of
  /// range.
  ///
  /// - Parameter index: The index, starting at 0.
  public subscript(index: Int) -> Parameters? {
    guard case .array(let values) = self, values.indices.contains(index) else { return nil }
    return values[index]
  }

  /// The members of a dictionary, in order.
  ///
  /// Empty for any other value.
  ///
  /// ```swift
  /// for member in parameters.members { print(member.name, member.value) }
  /// ```
  public var members: Members { dictionary ?? [:] }

  /// The names of the members of a dictionary, in order.
  ///
  /// Empty for any other value.
  public var keys: [String] { members.map(\.name) }

  /// The number of members of a dictionary or of elements of an array.
  ///
  /// 0 for `null`, and 1 for any other value.
  public var count: Int {
    switch self {
    case .null: 0
    case .array(let values): values.count
    case .dictionary(let members): members.count
    case .bool, .int, .decimal, .double, .string, .data, .date: 1
    }
  }

  /// Whether this is `null`, an empty array, or an empty dictionary.
  public var isEmpty: Bool { count == 0 }

  /// Returns a dictionary with the members of both values.
  ///
  /// A `JSONEncoder` converts the names as those of this value, if it is a dictionary.
  ///
  /// - Parameter others: A dictionary, whose members replace those of the same names, or `null`.
  /// - Returns: The merged dictionary. `nil` if one of the values is neither a dictionary nor
  ///   `null`.
  func merging(_ others: Parameters) -> Parameters? {
    guard isNull || dictionary != nil, others.isNull || others.dictionary != nil else { return nil }
    if isNull, others.dictionary != nil { return others }
    var merged = members
    for member in others.members { merged[member.name] = member.value }
    return .dictionary(merged)
  }
}

// MARK: - Typed access

extension Parameters {
  /// Whether this is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The Boolean, or `nil` for any other value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer, or `nil` if this is not an integer that fits into `Int`.
  ///
  /// `2.0` is the integer 2.
  public var int: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as the nearest `Double`, or `nil` if this is not a number.
  public var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): value.nearestDouble
    default: nil
    }
  }

  /// The string, or `nil` for any other value.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes, or `nil` for any other value.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }

  /// The date, or `nil` for any other value.
  public var date: Date? { if case .date(let value) = self { value } else { nil } }

  /// The elements, or `nil` if this is not an array.
  public var array: [Parameters]? { if case .array(let values) = self { values } else { nil } }

  /// The members, or `nil` if this is not a dictionary.
  public var dictionary: Members? {
    if case .dictionary(let members) = self { members } else { nil }
  }
}

// MARK: - Description

extension Parameters: BrieflyDescribed {
  /// The parameters as a literal, without secrets: `["user": "ada", "password": "***", "page": 2]`.
  ///
  /// The values of secret names are masked, also in the output of `dump` and debuggers. Bytes are
  /// replaced by their count.
  public var description: String { description(depth: 0) }

  /// A mirror of the members of a dictionary or of the elements of an array, without secrets.
  ///
  /// Other values have no children.
  public var customMirror: Mirror {
    switch self {
    case .array(let values): Mirror(self, unlabeledChildren: values)
    case .dictionary(let members): Mirror(self, children: members.mirrorChildren)
    default: Mirror(self, children: [])
    }
  }

  fileprivate func description(
    depth: Int, by redactor: Redactor = .standard, inArray isElement: Bool = false
  ) -> String {
    guard depth < ParameterEncodingError.depthLimit else { return "..." }
    switch self {
    case .null: return "nil"
    case .bool(let value): return value.description
    case .int(let value): return value.description
    case .decimal(let value): return value.description
    case .double(let value): return value.description
    case .string(let value): return redactor.maskedText(value).debugDescription
    case .data(let value): return "(\(value.count) bytes)"
    case .date(let value): return value.iso8601Text ?? "(a date out of range)"
    case .array(let values):
      var texts = values.map { $0.description(depth: depth + 1, by: redactor, inArray: true) }
      if redactor.isSecretPair(values, inArray: isElement) {
        texts[1] = Redactor.mask.debugDescription
      }
      return "[\(texts.joined(separator: ", "))]"
    case .dictionary(let members): return members.description(depth: depth, by: redactor)
    }
  }

  /// Returns the description that masks the secrets of a client.
  func description(by redactor: Redactor) -> String { description(depth: 0, by: redactor) }
}

extension Parameters.Members: BrieflyDescribed {
  /// The members as a literal, without secrets: `["user": "ada", "password": "***"]`.
  public var description: String { description(depth: 0, by: .standard) }

  /// A mirror of the members, without secrets.
  public var customMirror: Mirror { Mirror(self, children: mirrorChildren) }

  fileprivate var mirrorChildren: [Mirror.Child] {
    map { member in
      let isSecret = Redactor.standard.isSecret(member, in: self)
      return (member.name, isSecret ? Redactor.mask : member.value)
    }
  }

  fileprivate func description(depth: Int, by redactor: Redactor) -> String {
    let texts = map { member in
      let isSecret = redactor.isSecret(member, in: self)
      return member.description(depth: depth + 1, by: redactor, isSecret: isSecret)
    }
    return texts.isEmpty ? "[:]" : "[\(texts.joined(separator: ", "))]"
  }
}

extension Parameters.Members.Member: BrieflyDescribed {
  /// The name and the value, without secrets: `"password": "***"`.
  public var description: String { description(depth: 0, by: .standard, isSecret: isSecret) }

  /// A mirror of the name and the value, without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": isSecret ? Redactor.mask as Any : value])
  }

  private var isSecret: Bool { Redactor.standard.isSecret(name: name, value: value) }

  fileprivate func description(depth: Int, by redactor: Redactor, isSecret: Bool) -> String {
    let value =
      isSecret ? Redactor.mask.debugDescription : value.description(depth: depth, by: redactor)
    return "\(name.debugDescription): \(value)"
  }
}
