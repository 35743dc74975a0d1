import Foundation

extension Request {
  /// The name of a field of the query, of JSON or of a form that goes by a secret's name, as
  /// ``Redaction`` judges; nil when there is none.
  ///
  /// Header fields do not count, nor does what free text says, or a body of another kind.
  var secretField: String? {
    Self.secretField(inURL: path.text) ?? parameters.flatMap(Self.secretField(in:))
      ?? secretFieldInPayload
  }

  private var secretFieldInPayload: String? {
    switch payload {
    case .data(let data):
      var type = headers["Content-Type"]
      if type == nil, case .custom(let custom) = contentType { type = custom }
      return Self.secretField(in: data, type)
    case .multipart(let form):
      for part in form.parts {
        if Redaction.isSecret(name: part.name) { return part.name }
        if case .data(let data) = part.content, part.contentType != nil,
          let name = Self.secretField(in: data, part.contentType)
        {
          return name
        }
      }
      return nil
    case .file, .stream, nil: return nil
    }
  }

  private static func secretField(in data: Data, _ contentType: String?) -> String? {
    let type = contentType.flatMap(MediaType.init(_:)).map {
      "\($0.type)/\($0.subtype)".lowercased()
    }
    switch type {
    case "application/x-www-form-urlencoded":
      return secretField(inURL: "?" + String(decoding: data, as: UTF8.self))
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      if let json = try? JSON(parsing: data) { return secretField(in: Parameters(json)) }
      // Lines of JSON, or what only looks like it.
      var found: String?
      _ = Redaction.text(String(decoding: data, as: UTF8.self)) { name, _ in note(name, &found) }
      return found
    // Of bytes nothing is known but what they are.
    case nil, "application/octet-stream":
      return (try? JSON(parsing: data)).flatMap { secretField(in: Parameters($0)) }
    default: return nil
    }
  }

  private static func secretField(in parameters: Parameters) -> String? {
    switch parameters {
    case .array(let values): return values.lazy.compactMap(secretField(in:)).first
    case .dictionary(let members):
      for member in members {
        if member.value != .null, Redaction.isSecret(name: member.name) { return member.name }
        if let name = secretField(in: member.value) { return name }
      }
      return nil
    case .null, .bool, .int, .decimal, .double, .string, .data: return nil
    }
  }

  private static func secretField(inURL url: String) -> String? {
    var found: String?
    _ = Redaction.url(url) { name, _ in note(name, &found) }
    return found
  }

  /// Looks at a field that ``Redaction`` has come by, and masks nothing.
  private static func note(_ name: String, _ found: inout String?) -> String? {
    if found == nil, Redaction.isSecret(name: name) { found = name.removingPercentEncoding ?? name }
    return nil
  }
}
