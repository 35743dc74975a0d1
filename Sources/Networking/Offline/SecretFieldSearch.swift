import Foundation

/// A search for a secret field in a request that is stored offline.
///
/// It finds what a log masks: fields in the query, in forms, in JSON, in XML, and in columns of
/// tables. Header fields, plain text, and other bodies are not searched.
struct SecretFieldSearch {
  /// The name of the first secret field, or `nil` if there is none.
  private(set) var name: String?
  private let redactor: Redactor

  /// Searches a request by the rules of the client that sends it.
  ///
  /// - Parameter request: The request.
  init(_ request: Request) {
    redactor = request.attributes.redactor
    search(url: request.path.text)
    if let parameters = request.parameters { search(parameters, inArray: false) }
    switch request.payload {
    case .data(let data):
      var type = request.headers["Content-Type"]
      if type == nil, case .custom(let custom) = request.contentType { type = custom }
      search(data, type)
    case .multipart(let form): for part in form.parts { search(part) }
    case .file, .stream, nil: break
    }
  }

  private mutating func search(_ part: MultipartFormData.Part) {
    if let name = part.name, redactor.isSecret(name: name) { found(name) }
    for field in part.headers where Request.carriesCredentials(field, redactor) {
      found(field.name)
    }
    if case .data(let data) = part.content, part.contentType != nil {
      search(data, part.contentType)
    }
  }

  private mutating func search(_ data: Data, _ contentType: String?) {
    guard name == nil else { return }
    let type = contentType.flatMap(MediaType.init(_:))?.description.lowercased()
    // Bytes of an unknown type may be JSON.
    let isUnknown = type == nil || type == "application/octet-stream"
    if isUnknown || type?.hasSuffix("/json") == true || type?.hasSuffix("+json") == true {
      if let json = try? JSON(parsing: data) { return search(Parameters(json), inArray: false) }
    }
    guard !isUnknown, let type else { return }
    let text = String(decoding: data, as: UTF8.self)
    switch type {
    case "application/x-www-form-urlencoded": search(url: "?" + text)
    // Lines of JSON, or invalid JSON.
    case _ where type.hasSuffix("json") || type.hasSuffix("xml"): search(text: text)
    case _ where Redactor.tableTypes.contains(type):
      _ = CSVMasker.masked(text, by: { record($0, $1) }, names: redactor.names)
    default: break
    }
  }

  private mutating func search(text: String) {
    var work = 0
    _ = redactor.maskedText(text, by: { record($0, $1) }, counting: &work)
  }

  private mutating func search(url: String) {
    _ = redactor.maskedURL(url) { record($0, $1) }
  }

  private mutating func search(_ parameters: Parameters, inArray isElement: Bool) {
    guard name == nil else { return }
    switch parameters {
    case .array(let values):
      if values.count == 2,
        let name = TextMasker.pairName(values[0].string, values[1].string, inArray: isElement)
      {
        search(values[1], of: name)
      }
      for value in values { search(value, inArray: true) }
    case .dictionary(let members):
      for member in members {
        search(member.value, of: member.name)
        for name in TextMasker.pairedNames(of: member.name, { members[$0]?.string }) {
          search(member.value, of: name)
        }
        search(member.value, inArray: false)
      }
    case .null, .bool, .int, .decimal, .double, .string, .data, .date: break
    }
  }

  private mutating func search(_ value: Parameters, of name: String) {
    guard self.name == nil, value != .null, redactor.isSecret(name: name),
      !isAmbiguous(name) || redactor.isSecret(name: name, value: value)
    else { return }
    found(name)
  }

  /// Returns whether values of a name such as `room_key` are secret only if they look like secrets.
  private func isAmbiguous(_ name: String) -> Bool {
    [.weak, .cookies].contains(redactor.sensitivity(of: name))
  }

  /// Records a secret name that the redactor finds, and masks nothing.
  private mutating func record(_ name: String, _ value: Redactor.ValueProvider) -> String? {
    // The text after `Basic` may be prose.
    if self.name == nil, name != Redactor.schemeName, redactor.isSecret(name: name),
      !isAmbiguous(name)
        || redactor.isSecret(name: name, value: value(SecretSensitivity.sampleLength))
    {
      found(name.removingPercentEncoding ?? name)
    }
    return nil
  }

  private mutating func found(_ name: String) { self.name = self.name ?? name }
}
