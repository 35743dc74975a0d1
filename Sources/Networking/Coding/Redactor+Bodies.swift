import Foundation

extension Redactor {
  /// Masks a body for display.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The value of the `Content-Type` field, if there is one.
  /// - Returns: The masked body as one line of text, or `nil` if it is not JSON, a form, or text.
  func maskedBody(_ data: Data, contentType: String?) -> String? {
    guard !data.isEmpty, let text = String(data: data, encoding: .utf8), !text.contains("\0") else {
      return nil
    }
    let type = contentType.flatMap(MediaType.init(_:))
    switch type?.description {
    case Self.formType: return maskedForm(text)
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      return maskedJSON(data) ?? NetworkError.singleLine(maskedContent(text))
    case .some(let type) where type.hasPrefix("text/") || type.hasSuffix("xml"):
      return NetworkError.singleLine(maskedContent(text))
    case nil: return maskedJSON(data)
    default: return nil
    }
  }

  /// Masks the text of a body for a recording, in its original form.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - mimeType: The media type with its parameters. Bodies of unknown types are masked as JSON
  ///     or as free text.
  /// - Returns: The masked text.
  package func maskedBody(_ text: String, mimeType: String) -> String {
    if MediaType(mimeType)?.description == Self.formType { return maskedForm(text) }
    let data = Data(text.utf8)
    if let masked = maskedMultipart(data, mimeType: mimeType) {
      return String(decoding: masked, as: UTF8.self)
    }
    // Fast path: most bodies that are not JSON fail this check, which costs less than the parser.
    let first = text.utf8.first { !" \t\r\n".utf8.contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let masked = maskedJSON(data) {
      return masked
    }
    return maskedContent(text)
  }

  private static let formType = "application/x-www-form-urlencoded"
}

// MARK: - JSON

extension Redactor {
  /// Masks a JSON text.
  ///
  /// For display, the text is compact and its members are sorted by name. A recording keeps a text
  /// without secrets byte for byte.
  ///
  /// - Parameter data: The JSON text.
  /// - Returns: The masked text, or `nil` if the data is not a JSON array or object.
  private func maskedJSON(_ data: Data) -> String? {
    guard let json = try? JSON(parsing: data) else { return nil }
    switch json {
    case .array, .dictionary: break
    case .null, .bool, .int, .double, .decimal, .string: return nil
    }
    let masked = json.masked(
      where: { name, _ in isSecret(name: name) }, by: maskedValue, texts: maskedContent)
    if purpose == .recording, masked == json { return String(decoding: data, as: UTF8.self) }
    let text = (try? masked.data()).map { String(decoding: $0, as: UTF8.self) }
    // A recording must not keep text that could not be masked. For display, the caller masks it as
    // free text.
    return text ?? (purpose == .recording ? Self.mask : nil)
  }

  /// Returns the replacement for the value of a secret member.
  ///
  /// `null` is not secret.
  ///
  /// A recording keeps the types, so that a replayed response can still be decoded: strings become
  /// ``mask``, and numbers become 0.
  private func maskedValue(_ json: JSON) -> JSON {
    guard purpose == .recording else { return json == .null ? .null : .string(Self.mask) }
    switch json {
    case .array(let values): return .array(values.map(maskedValue))
    case .dictionary(let members): return .dictionary(members.mapValues(maskedValue))
    case .string(let value):
      reportSecret(value)
      return .string(value.isEmpty ? "" : Self.mask)
    case .int, .double, .decimal: return .int(0)
    case .null, .bool: return json
    }
  }
}

extension JSON {
  /// Replaces members and strings at any depth.
  ///
  /// - Parameters:
  ///   - isSecret: A closure that returns whether a member is secret. Other members are searched
  ///     for secrets.
  ///   - mask: A closure that returns the replacement for the value of a secret member.
  ///   - text: A closure that returns the replacement for a string outside secret members.
  /// - Returns: The value with the replacements.
  package func masked(
    where isSecret: (_ name: String, _ value: JSON) -> Bool, by mask: (JSON) -> JSON,
    texts text: (String) -> String = { $0 }
  ) -> JSON {
    func masked(_ json: JSON) -> JSON {
      switch json {
      case .array(let values): .array(values.map(masked))
      case .dictionary(let members):
        .dictionary(
          Dictionary(
            uniqueKeysWithValues: members.map { name, value in
              (name, isSecret(name, value) ? mask(value) : masked(value))
            }))
      case .string(let value): .string(text(value))
      case .null, .bool, .int, .double, .decimal: json
      }
    }
    return masked(self)
  }
}

extension Redactor {
  /// Masks the secret members of parameters for display, and replaces binary data by its size.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: The masked parameters.
  func maskedParameters(_ parameters: Parameters) -> Parameters {
    switch parameters {
    case .array(let values): .array(values.map(maskedParameters))
    case .dictionary(let members):
      .dictionary(
        Parameters.Members(
          members.map { member in
            let isSecret = isSecret(name: member.name)
            return (member.name, isSecret ? .string(Self.mask) : maskedParameters(member.value))
          }))
    case .string(let value): .string(maskedText(value))
    case .data(let data): .string("(\(data.count) bytes)")
    case .null, .bool, .int, .decimal, .double: parameters
    }
  }
}

// MARK: - Multipart bodies

extension Redactor {
  /// Masks the text parts of a multipart body.
  ///
  /// A part with a secret name is masked as a whole.
  ///
  /// Source: RFC 7578.
  ///
  /// - Parameters:
  ///   - data: The body. Parts that are not UTF-8 are unchanged.
  ///   - mimeType: The media type with its parameters.
  /// - Returns: The masked body, or `nil` if the media type is not multipart or has no boundary.
  package func maskedMultipart(_ data: Data, mimeType: String) -> Data? {
    guard let type = MediaType(mimeType), type.type == "multipart",
      let boundary = type.parameters["boundary"], !boundary.isEmpty
    else { return nil }
    let delimiter = Data("--\(boundary)".utf8)
    var masked = Data()
    var rest = data[...]
    while let range = rest.range(of: delimiter) {
      masked += maskedPart(rest[..<range.lowerBound])
      masked += delimiter
      rest = rest[range.upperBound...]
    }
    return masked + maskedPart(rest)
  }

  private func maskedPart(_ part: Data) -> Data {
    guard let blankLine = part.range(of: Data("\r\n\r\n".utf8)) else { return part }
    let head = String(decoding: part[..<blankLine.lowerBound], as: UTF8.self)
    let lineBreak = Data("\r\n".utf8)
    let content = part[blankLine.upperBound...]
    let hasLineBreak = content.suffix(2) == lineBreak
    let value = hasLineBreak ? content.dropLast(2) : content
    guard let text = String(validating: value, as: UTF8.self) else { return part }
    let name = head.firstMatch(of: /(?i)[;\s]name="(?<name>(?:[^"\\]|\\.)*)"/)?.output.name ?? ""
    let type = head.firstMatch(of: /(?i)content-type:\s*(?<type>[^\r\n]+)/)?.output.type
    let mimeType = type.map { String($0) } ?? "text/plain"
    let masked = mask(String(name), text) ?? maskedBody(text, mimeType: mimeType)
    return part[..<blankLine.upperBound] + Data(masked.utf8) + (hasLineBreak ? lineBreak : Data())
  }
}
