import Foundation
public import Networking

// MARK: - Requests

extension Request {
  /// Creates a POST request with a SOAP message.
  ///
  /// - Parameters:
  ///   - envelope: The message.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - action: The action, as the description of the service names it. SOAP 1.1 sends it in the
  ///     field `SOAPAction`, which is empty for `nil`. SOAP 1.2 sends it as a parameter of the media
  ///     type, which is left out for `nil`.
  ///   - headers: The header fields of the request. They override those of this method.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  /// - Throws: `NetworkError` with the code `encodingFailed`, if the message cannot be written as
  ///   XML, or if the action contains a quotation mark, a control character or a character beyond
  ///   ASCII.
  ///
  /// Source: Simple Object Access Protocol (SOAP) 1.1, section 6.1.1; SOAP Version 1.2 Part 2,
  /// section 7.1; RFC 3902 section 1.
  public static func soap(
    _ envelope: SOAPEnvelope, to path: RequestPath, action: String? = nil,
    headers: HTTPHeaders = [:], _ options: RequestOption...
  ) throws(NetworkError) -> Request {
    let action = action ?? ""
    guard action.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != 0x5C })
    else {
      throw NetworkError(
        .encodingFailed, "the SOAP action is not a URI",
        request: NetworkError.RequestSummary(Request(.post, path)))
    }
    var type = "\(envelope.version.mediaType); charset=utf-8"
    var fields: HTTPHeaders = ["Accept": envelope.version.mediaType]
    if envelope.version == .soap11 {
      fields["SOAPAction"] = "\"\(action)\""
    } else if !action.isEmpty {
      type += "; action=\"\(action)\""
    }
    for field in headers { fields[field.name] = field.value }
    return Request(
      .post, path, headers: fields, contentType: .custom(type),
      payload: .data(try XML.body(envelope.xml, of: .post, path)), .all(options))
  }
}
