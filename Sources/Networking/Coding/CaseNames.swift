/// The texts under which the cases of an enumeration are encoded.
///
/// A case with a text is encoded as a prefix and its text, such as `pattern:yyyy`. A synthesized
/// conformance to `Codable` has a type of keys for each case, which needs five times the code.
struct CaseNames<Value: Equatable> {
  let names: KeyValuePairs<String, Value>
  /// The case with a text.
  var prefixed: (prefix: String, value: (String) -> Value, text: (Value) -> String?)?
}

/// An enumeration whose cases are encoded under their names.
///
/// A case with a text is encoded as a prefix and its text.
protocol NamedCases: Codable, Equatable {
  /// The texts of the cases.
  static var caseNames: CaseNames<Self> { get }
}

extension NamedCases {
  /// Decodes a case from its name.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder. `DecodingError.dataCorrupted` for an unknown name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let (cases, name) = (Self.caseNames, try container.decode(String.self))
    if let known = cases.names.first(where: { $0.key == name }) {
      self = known.value
    } else if let prefixed = cases.prefixed, name.utf8.starts(with: prefixed.prefix.utf8) {
      // Bytes, because a colon and a following combining character form one `Character`.
      self = prefixed.value(String(Substring(name.utf8.dropFirst(prefixed.prefix.utf8.count))))
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "There is no case \(name.debugDescription)")
    }
  }

  /// Encodes the name of the case.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let cases = Self.caseNames
    let name = cases.names.first { $0.value == self }?.key
    try container.encode(name ?? cases.prefixed.map { $0.prefix + ($0.text(self) ?? "") } ?? "")
  }
}

// MARK: - Formats

extension ContentType: NamedCases {
  static var caseNames: CaseNames<Self> {
    CaseNames(
      names: [
        "query": .query, "formURLEncoded": .formURLEncoded, "json": .json,
        "multipartFormData": .multipartFormData,
      ],
      prefixed: ("custom:", Self.custom, { if case .custom(let type) = $0 { type } else { nil } }))
  }
}

extension QueryFormat.Arrays: NamedCases {
  static var caseNames: CaseNames<Self> {
    CaseNames(names: [
      "brackets": .brackets, "rackBrackets": .rackBrackets, "indices": .indices,
      "repeated": .repeated, "joined:,": .joined(by: .comma), "joined:|": .joined(by: .pipe),
      "joined: ": .joined(by: .space), "rejected": .rejected,
    ])
  }
}

extension QueryFormat.Nesting: NamedCases {
  static var caseNames: CaseNames<Self> {
    CaseNames(names: [
      "brackets": .brackets, "dots": .dots, "exploded": .exploded,
      "joined:,": .joined(by: .comma), "joined:|": .joined(by: .pipe),
      "joined: ": .joined(by: .space), "rejected": .rejected,
    ])
  }
}

extension QueryFormat.Nulls: NamedCases {
  static var caseNames: CaseNames<Self> {
    CaseNames(
      names: ["omitted": .omitted, "empty": .empty, "rejected": .rejected],
      prefixed: ("text:", Self.text, { if case .text(let text) = $0 { text } else { nil } }))
  }
}

extension QueryFormat.Dates: NamedCases {
  static var caseNames: CaseNames<Self> {
    CaseNames(
      names: [
        "iso8601": .iso8601, "iso8601WithMilliseconds": .iso8601WithMilliseconds, "day": .day,
        "secondsSince1970": .secondsSince1970, "millisecondsSince1970": .millisecondsSince1970,
        "secondsSince2001": .secondsSince2001,
      ],
      prefixed: (
        "pattern:", Self.pattern, { if case .pattern(let text) = $0 { text } else { nil } }
      ))
  }
}
