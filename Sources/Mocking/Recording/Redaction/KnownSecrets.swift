import Foundation
import Networking
import Synchronization

/// The values that were masked for their names, to be masked wherever else they turn up.
///
/// So a password that a server sends back, or a token that becomes part of a path, goes too: as it is, in
/// percent-encoding and in base64. Only values of eight characters and more, with a letter and a digit, are
/// kept in mind; to mask every `admin` or `1` would take the recording apart.
final class KnownSecrets: Sendable {
  private struct State {
    var values: Set<String> = []
    /// In all their forms, the longest first, so that no part of one is left.
    var forms: [(form: String, replacement: String)] = []
  }

  private let state = Mutex(State())

  /// Keeps a value in mind.
  func learn(_ value: String) {
    guard value.utf8.count >= 8, value.contains(where: \.isNumber),
      value.contains(where: \.isLetter)
    else { return }
    let isKnown = state.withLock { $0.values.contains(value) }
    guard !isKnown else { return }
    let data = Data(value.utf8)
    let base64 = data.base64EncodedString()
    let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    let json = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let forms = Set([
      value, FormText.encode(value), FormText.encode(value).replacing("%20", with: "+"),
      base64, String(base64.prefix { $0 != "=" }), urlSafe, FormText.encode(base64),
      String(json.dropFirst().dropLast()),
    ]).filter { $0.utf8.count >= 8 }
    state.withLock { state in
      state.values.insert(value)
      state.forms += forms.map { ($0, Redaction.mask) }
      state.forms.sort { $0.form.utf8.count > $1.form.utf8.count }
    }
  }

  /// How many there are.
  var count: Int { state.withLock { $0.values.count } }

  /// A text without any of them.
  func masking(_ text: String) -> String {
    let forms = state.withLock { $0.forms }
    var text = text
    for (form, replacement) in forms where text.utf8.count >= form.utf8.count {
      if text.contains(form) { text = text.replacing(form, with: replacement) }
    }
    return text
  }

  /// Masks them in all of a request.
  func mask(_ request: inout HAR.Request) {
    request.url = masking(request.url)
    for index in request.headers.indices {
      request.headers[index].value = masking(request.headers[index].value)
    }
    if let body = request.postData, body.encoding == nil {
      request.postData?.text = body.text.map(masking)
    }
  }

  /// Masks them in all of an exchange.
  func mask(_ entry: inout HAR.Entry) {
    mask(&entry.request)
    for index in entry.response.headers.indices {
      entry.response.headers[index].value = masking(entry.response.headers[index].value)
    }
    entry.response.errorDetail = entry.response.errorDetail.map(masking)
    if entry.response.content.encoding == nil, let text = entry.response.content.text {
      let masked = masking(text)
      if masked != text { entry.response.content.replaceText(masked) }
    }
  }
}
