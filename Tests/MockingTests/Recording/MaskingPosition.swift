import Foundation
import Networking

@testable import Mocking
@testable import MockingRecordings

/// A place of a field in an exchange.
enum MaskingPosition: String, CaseIterable, Sendable {
  case jsonMember, jsonNested, jsonArray, jsonInJSON, jsonText, jsonLines, jsonCut, jsonCutOverLines
  case jsonPair, jsonPairReversed, jsonPairCut
  case xmlElement, xmlElementOverLines, xmlCharacterData, xmlAttribute, xmlAttributeOverLines
  case xmlNamedElement, xmlKeyAndValue, xmlNameAndValue
  case htmlInput, htmlInputReversed, htmlInputOverLines, htmlInputReversedOverLines
  case form, query, fragment, nestedQuery, nestedQueryTwice, nestedForm
  case header, headerURL, cookie, multipart, line, quotedLine, logfmt

  /// Returns whether the name of a field can be at this place.
  ///
  /// All values of cookies are masked, so they are no place of other fields.
  func accepts(_ field: MaskingTable.Field, isSecret: Bool) -> Bool {
    switch self {
    case .xmlElement, .xmlElementOverLines, .xmlCharacterData, .xmlAttribute,
      .xmlAttributeOverLines, .header, .quotedLine:
      Self.isToken(field.name)
    case .cookie: isSecret && Self.isToken(field.name) && Self.isCookieValue(field.value)
    // A value without quotation marks ends at white space.
    case .logfmt: Self.isCookieValue(field.value)
    default: true
    }
  }

  /// Returns an exchange with a field at this place.
  func entry(_ field: MaskingTable.Field) throws -> HAR.Entry {
    let (name, value) = (field.name, field.value)
    let (scalar, text) = (try Self.json(field.json), try Self.json(.string(value)))
    let (key, xml) = (try Self.json(.string(name)), Self.xml(value))
    let pair = "\(Self.encoded(name))=\(Self.encoded(value))"
    func json(_ text: String) -> HAR.Entry { Self.entry(mimeType: "application/json", text) }
    func html(_ text: String) -> HAR.Entry { Self.entry(mimeType: "text/html", text) }
    func document(_ text: String) -> HAR.Entry {
      Self.entry(mimeType: "text/xml", "<?xml version=\"1.0\"?>\n<a>\n\(text)\n<b>c</b></a>\n")
    }
    switch self {
    case .jsonMember: return json("{\"a\":1,\(key):\(scalar),\"b\":[true]}")
    case .jsonNested: return json("[{\"a\":[{\"b\":{\(key):\(text)}}]}]")
    case .jsonArray: return json("{\(key):[\(scalar)]}")
    case .jsonInJSON: return json("{\"a\":\(try Self.json(.string("{\(key): \(scalar)}")))}")
    case .jsonText: return Self.entry("12:01 sent {\"a\": 1, \(key): \(text)}\n12:02 done\n")
    case .jsonLines:
      return Self.entry(
        mimeType: "application/x-ndjson", "{\"a\":1}\n{\(key):\(scalar),\"b\":2}\n")
    case .jsonCut: return json("{\"a\": {\(key): \(text), \"b\": ")
    case .jsonCutOverLines:
      return json("{\n  \"name\": \(key),\n  \"value\": \(text),\n  \"b\": ")
    case .jsonPair: return json("[{\"name\":\(key),\"value\":\(scalar)}]")
    case .jsonPairReversed: return json("[{\"value\":\(text),\"key\":\(key)}]")
    case .jsonPairCut: return json("{\"value\": \(text), \"name\": \(key)}, ")
    case .xmlElement: return document("<\(name)>\(xml)</\(name)>")
    case .xmlElementOverLines: return document("<\(name) a=\"b\">\n  \(xml)\n</\(name)>")
    case .xmlCharacterData: return document("<\(name)>\n<![CDATA[\(value)]]>\n</\(name)>")
    case .xmlAttribute: return document("<c d='e' \(name)=\"\(xml)\"/>")
    case .xmlAttributeOverLines: return document("<c\n  d='e'\n  \(name)\n  =\n  \"\(xml)\"\n/>")
    case .xmlNamedElement: return document("<param name=\"\(name)\">\(xml)</param>")
    case .xmlKeyAndValue: return document("<key>\(name)</key>\n\t<string>\(xml)</string>")
    case .xmlNameAndValue:
      return document("<m>\n<name>\(name)</name>\n<value><string>\(xml)</string></value>\n</m>")
    case .htmlInput: return html("<input type=\"hidden\" name=\"\(name)\" value=\"\(xml)\">")
    case .htmlInputReversed: return html("<input value=\"\(xml)\" type=text name='\(name)'>")
    case .htmlInputOverLines: return html("<p>\n<input name=\"\(name)\"\n  value=\"\(xml)\">\n")
    case .htmlInputReversedOverLines:
      return html("<input\n  value=\"\(xml)\"\r\n  name=\"\(name)\"\r\n/>\r\n")
    case .form:
      return Self.entry(mimeType: "application/x-www-form-urlencoded", "a=b&\(pair)&c=d")
    case .query: return Self.entry(url: "https://a.test/b?c=1&\(pair)&d=e")
    case .fragment: return Self.entry(url: "https://a.test/b?c=1#\(pair)&d=e")
    case .nestedQuery:
      let url = Self.encoded("https://b.test/?\(pair)&d=e")
      return Self.entry(url: "https://a.test/b?next=\(url)&f=g")
    case .nestedQueryTwice:
      let url = Self.encoded("https://b.test/?u=\(Self.encoded("/c?\(pair)&d=e"))&d=e")
      return Self.entry(url: "https://a.test/b?next=\(url)&f=g")
    case .nestedForm:
      let type = "application/x-www-form-urlencoded"
      return Self.entry(mimeType: type, "url=\(Self.encoded("/b?c=d&\(pair)"))&e=f")
    case .header: return Self.entry(headers: [HAR.Field(name: name, value: value)])
    case .headerURL:
      let url = "https://a.test/b?c=d&\(pair)"
      return Self.entry(headers: [HAR.Field(name: "Location", value: url)])
    case .cookie:
      return Self.entry(
        headers: [
          HAR.Field(name: "Cookie", value: "a=1; \(name)=\(value)"),
          HAR.Field(name: "Set-Cookie", value: "\(name)=\(value); Path=/"),
        ])
    case .multipart:
      let head = "Content-Disposition: form-data; name=\"\(name)\""
      return Self.entry(
        mimeType: "multipart/form-data; boundary=b", "--b\r\n\(head)\r\n\r\n\(value)\r\n--b--\r\n")
    case .line: return Self.entry("a: b\n\(name): \(value)\nc: d\n")
    case .quotedLine: return Self.entry("GET / HTTP/1.1\n\(name): \"\(value)\"\nAccept: */*\n")
    case .logfmt: return Self.entry("level=info \(name)=\(value) status=200\n")
    }
  }

  // MARK: Exchanges

  /// Returns an exchange with the texts in all parts of the request and the response.
  static func entry(
    url: String = "https://a.test/", headers: [HAR.Field] = [], mimeType: String = "text/plain",
    _ body: String = ""
  ) -> HAR.Entry {
    var request = HAR.Request(method: "POST", url: url, headers: headers)
    request.postData = HAR.PostData(mimeType: mimeType, text: body)
    return HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z", request: request,
      response: HAR.Response(
        status: 200, headers: headers, content: HAR.Content(mimeType: mimeType, text: body)))
  }

  /// Returns the texts of an exchange.
  static func text(_ entry: HAR.Entry) -> String {
    let fields = (entry.request.headers + entry.response.headers).map(\.value)
    return
      ([
        entry.request.url, entry.request.postData?.text ?? "", entry.response.content.text ?? "",
      ] + fields).joined(separator: "\n")
  }

  /// Returns whether the texts of two exchanges are equal.
  static func isEqual(_ entry: HAR.Entry, _ other: HAR.Entry) -> Bool {
    text(entry) == text(other)
  }

  /// Returns whether a masked exchange has a placeholder, and not the value.
  static func isMasked(_ entry: HAR.Entry, _ value: String) -> Bool {
    let text = text(entry)
    // The digits of a placeholder may be those of a short secret by chance.
    let rest = RecordingPlaceholder.generalized(text)
    return rest.contains("***") && forms(of: value).allSatisfy { !rest.contains($0) }
  }

  /// Returns the encodings of a value in the exchanges of all positions.
  static func forms(of value: String) -> [String] {
    let once = encoded(value)
    return [value, xml(value), once, encoded(once), encoded(encoded(once))]
  }

  static func encoded(_ text: String) -> String { FormURLCoding.encode(text) }

  static func xml(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  private static func json(_ json: JSON) throws -> String {
    let array = String(decoding: try JSON.array([json]).data(), as: UTF8.self)
    return String(array.dropFirst().dropLast())
  }

  private static func isToken(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
  }

  private static func isCookieValue(_ text: String) -> Bool {
    !text.isEmpty && !text.utf8.contains { " ,;\"\\".utf8.contains($0) }
  }
}
