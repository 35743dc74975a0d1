import Foundation

extension Redactor {
  /// The limit for JSON that is parsed for display, in bytes.
  ///
  /// Bodies are masked on the threads of transports and servers, too.
  static let maximumDisplayedJSONLength = LargeBodies.limit

  /// Masks a JSON text.
  ///
  /// For display, the text is compact and its members are sorted by name. A long text is not parsed
  /// for display, because that takes much longer than masking it as free text. A recording keeps a
  /// text without secrets byte for byte.
  ///
  /// - Parameter data: The JSON text.
  /// - Returns: The masked text, or `nil` if the data is no JSON array or object, or is too long.
  func maskedJSON(_ data: Data) -> String? {
    guard purpose == .recording || data.count <= Self.maximumDisplayedJSONLength else { return nil }
    guard let (json, hasRepeatedNames) = try? JSON.parse(data) else { return nil }
    switch json {
    case .array, .dictionary: break
    case .null, .bool, .int, .double, .decimal, .string: return nil
    }
    let masked = json.masked(
      where: isSecret(name:value:), by: maskedValue,
      texts: { keeps(name: $0) ? $1 : maskedContent($1) },
      numbers: { keeps(name: $0) ? $1 : maskedNumber($1) })
    // Members that were dropped because their name is repeated may be secret.
    if purpose == .recording, masked == json, !hasRepeatedNames {
      return String(decoding: data, as: UTF8.self)
    }
    let text = (try? masked.data()).map { String(decoding: $0, as: UTF8.self) }
    // A recording must not keep text that could not be masked. For display, the caller masks it as
    // free text.
    return text ?? (purpose == .recording ? Self.mask : nil)
  }

  /// Returns whether the value of a member is secret.
  ///
  /// An array is secret if one of its elements is. The members of an object are decided by
  /// themselves, unless all values of the name are secret.
  func isSecret(name: String, value: JSON) -> Bool {
    isSecret(value, by: sensitivity(of: name), depth: 0)
  }

  /// The limit for objects within each other.
  ///
  /// A deeper one is secret as a whole, because each of them could have a name whose members are
  /// searched.
  private static let maximumObjectDepth = 4

  private func isSecret(_ json: JSON, by sensitivity: SecretSensitivity, depth: Int) -> Bool {
    switch (json, sensitivity) {
    case (.null, _), (.bool, _): false
    case (.string(let value), _): sensitivity.isSecret(value)
    case (.int, _), (.double, _), (.decimal, _):
      json.numberText.map { sensitivity.isSecret(number: $0) } == true
    case (_, .strong): true
    case (_, .cookies): hasText(json, depth: 0)
    case (.array(let values), _):
      values.contains { isSecret($0, by: sensitivity, depth: depth) }
    case (.dictionary(let members), _):
      sensitivity == .text
        && (depth == Self.maximumObjectDepth
          || members.values.contains { isSecret($0, by: sensitivity, depth: depth + 1) })
    }
  }

  /// Returns whether an array or an object of cookies has a text, or a name that is no word.
  private func hasText(_ json: JSON, depth: Int) -> Bool {
    switch json {
    case .null, .bool, .int, .double, .decimal: false
    case .string(let value): SecretSensitivity.strong.isSecret(value)
    case _ where depth == Self.maximumObjectDepth: true
    case .array(let values): values.contains { hasText($0, depth: depth + 1) }
    case .dictionary(let members):
      members.contains { SecretSensitivity.cookies.isSecret($0) || hasText($1, depth: depth + 1) }
    }
  }

  /// Returns the replacement for the value of a secret member.
  ///
  /// `null` and Boolean values are not secret.
  ///
  /// A recording keeps the types, so that a replayed response can still be decoded.
  private func maskedValue(_ json: JSON) -> JSON {
    switch json {
    case .null, .bool: return json
    case .array(let values) where purpose == .recording: return .array(values.map(maskedValue))
    case .dictionary(let members) where purpose == .recording:
      return .dictionary(members.mapValues(maskedValue))
    case .string(let value): return .string(replacement(for: value))
    case .int, .double, .decimal:
      guard purpose == .recording, let number = json.numberText else { break }
      return .int(placeholder(forNumber: number))
    case .array, .dictionary: break
    }
    return .string(Self.mask)
  }

  /// Returns the replacement for a number outside of secret members: a card number is masked.
  private func maskedNumber(_ json: JSON) -> JSON {
    guard case .int(let number) = json, Int64(number) > 99_999_999_999,
      PaymentNumbers.isCard(Array("\(number)".utf8))
    else { return json }
    return maskedValue(json)
  }
}

extension JSON {
  /// The digits of a number, or `nil` for other values.
  fileprivate var numberText: String? {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .null, .bool, .string, .array, .dictionary: nil
    }
  }
}

extension JSON {
  /// Replaces members, strings and numbers at any depth.
  ///
  /// In an object with a member such as `name` and a member `value`, the value counts as a member
  /// with that name, too: `{"name": "password", "value": "s3cret"}`. So does a value with a `path`:
  /// `{"path": "/password", "value": "s3cret"}`. In an object that is itself a member, `id` and
  /// `value` count as members with its name, too: `{"session": {"id": "s3cret"}}`. In an array of
  /// arrays, a second element counts as a member with the name of the first one:
  /// `[["password", "s3cret"]]`.
  ///
  /// - Parameters:
  ///   - isSecret: A closure that returns whether a member is secret. Other members are searched
  ///     for secrets.
  ///   - mask: A closure that returns the replacement for the value of a secret member.
  ///   - text: A closure that returns the replacement for a string outside secret members. It
  ///     receives the name of the member, or an empty text.
  ///   - number: A closure that returns the replacement for a number outside secret members.
  /// - Returns: The value with the replacements.
  package func masked(
    where isSecret: (_ name: String, _ value: JSON) -> Bool, by mask: (JSON) -> JSON,
    texts text: (_ name: String, _ value: String) -> String = { $1 },
    numbers number: (_ name: String, _ value: JSON) -> JSON = { $1 }
  ) -> JSON {
    // Outside of `masked`, so that the frames of the recursion are small.
    func isSecretMember(
      _ name: String, _ value: JSON, of members: [String: JSON], named parent: String
    ) -> Bool {
      isSecret(name, value)
        || TextMasker.pairedNames(of: name) { members[$0]?.string }
          .contains { isSecret($0, value) }
        || Self.isValueName(name) && isSecret(parent, value)
    }
    func isSecretPair(_ values: [JSON], inArray isElement: Bool) -> Bool {
      guard values.count == 2,
        let name = TextMasker.pairName(values[0].string, values[1].string, inArray: isElement)
      else { return false }
      return isSecret(name, values[1])
    }
    func maskedScalar(_ json: JSON, named parent: String) -> JSON {
      switch json {
      case .string(let value): .string(text(parent, value))
      case .int, .double, .decimal: number(parent, json)
      case .null, .bool, .array, .dictionary: json
      }
    }
    func masked(_ json: JSON, named parent: String, inArray: Bool) -> JSON {
      switch json {
      case .array(let values):
        if isSecretPair(values, inArray: inArray) { return .array([values[0], mask(values[1])]) }
        var result: [JSON] = []
        result.reserveCapacity(values.count)
        for value in values { result.append(masked(value, named: parent, inArray: true)) }
        return .array(result)
      case .dictionary(let members):
        var result = members
        for (name, value) in members {
          result[name] =
            isSecretMember(name, value, of: members, named: parent)
            ? mask(value) : masked(value, named: name, inArray: false)
        }
        return .dictionary(result)
      default: return maskedScalar(json, named: parent)
      }
    }
    return masked(self, named: "", inArray: false)
  }

  /// Returns whether a member is the value of the object that contains it.
  private static func isValueName(_ name: String) -> Bool {
    name.utf8.count <= 6 && ["id", "value", "data", "text", "raw", "number"].contains(name)
  }

}

extension Redactor {
  /// Returns whether the value of a parameter is secret.
  func isSecret(name: String, value: Parameters) -> Bool {
    let sensitivity = sensitivity(of: name)
    return switch value {
    case .string(let value): sensitivity.isSecret(value)
    case .int(let value): sensitivity.isSecret(number: "\(value)")
    case .null, .bool: false
    case .array(let values) where sensitivity == .cookies:
      values.contains { value in
        switch value {
        case .null, .bool, .int, .double, .decimal: false
        case .string, .data, .date, .array, .dictionary: true
        }
      }
    case .array(let values): values.contains { isSecret(name: name, value: $0) }
    case .dictionary, .data: sensitivity == .strong || sensitivity == .cookies
    case .double, .decimal, .date: sensitivity == .strong
    }
  }

  /// Returns whether the value of a member is secret because of its name, or that of a sibling.
  func isSecret(_ member: Parameters.Members.Member, in members: Parameters.Members) -> Bool {
    isSecret(name: member.name, value: member.value)
      || TextMasker.pairedNames(of: member.name) { members[$0]?.string }
        .contains { isSecret(name: $0, value: member.value) }
  }

  /// Returns whether the second of two elements is secret because the first one is its name.
  func isSecretPair(_ values: [Parameters], inArray isElement: Bool) -> Bool {
    guard values.count == 2,
      let name = TextMasker.pairName(values[0].string, values[1].string, inArray: isElement)
    else { return false }
    return isSecret(name: name, value: values[1])
  }
}
