import Foundation
import Networking

extension HAR.Request {
  /// A request as it goes over the wire, with all its secrets.
  ///
  /// Files are read here, as far as the limit goes; a stream has been read into memory before.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - bodyLimit: how many bytes of a body are kept; nil keeps none, and says nothing of it.
  init(_ request: HTTPRequest, bodyLimit: Int?) {
    var url = request.url.absoluteString
    if let fragment = url.firstIndex(of: "#") { url = String(url[..<fragment]) }
    self.init(
      method: request.method.rawValue, url: url,
      headers: request.headers.map { HAR.Field(name: $0.name, value: $0.value) })
    guard let bodyLimit, request.body != .none else {
      bodySize = request.body == .none ? 0 : -1
      return
    }
    let mimeType = request.headers["Content-Type"] ?? "x-unknown"
    bodySize = request.body.byteCount.map { Int($0) } ?? -1
    let bytes = BodyBytes.read(request.body, limit: bodyLimit)
    if let bytes {
      bodySize = bytes.count
      let (text, encoding) = BodyText.of(bytes, mimeType: mimeType)
      postData = HAR.PostData(mimeType: mimeType, text: text, encoding: encoding)
    } else {
      postData = HAR.PostData(mimeType: mimeType, text: "", encoding: "size")
      postData?.comment = "the body is not kept, only its size"
    }
  }

  /// Fills in what repeats the URL and the header fields in another form.
  mutating func derive() {
    let query = url.firstIndex(of: "?").map { url[url.index(after: $0)...] } ?? ""
    queryString = FormText.fields(query)
    cookies = headers.filter { $0.name.lowercased() == "cookie" }.flatMap {
      CookieText.sent($0.value)
    }
  }
}
