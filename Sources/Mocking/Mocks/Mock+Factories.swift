public import Foundation
public import Networking

extension Mock {
  /// Returns a response with a status and no body.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The header fields.
  /// - Returns: The mock.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Mock {
    Mock(status: status, headers: headers)
  }

  /// Returns a response with a text body in UTF-8.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status code.
  /// - Returns: The mock, of the type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: Int = 200) -> Mock {
    .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// Returns a response with a body of bytes.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The content type. `nil` sends none.
  ///   - status: The status code.
  /// - Returns: The mock.
  public static func data(
    _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200
  ) -> Mock {
    Mock(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:], body: .data(data))
  }

  /// Returns a response with a JSON body.
  ///
  /// - Parameters:
  ///   - value: The value. Its members are sent sorted by name.
  ///   - status: The status code.
  /// - Returns: The mock, of the type `application/json`. If the value contains a number that is
  ///   not finite, it cannot be encoded: in memory the request fails, and on a socket the response
  ///   is a 500.
  public static func json(_ value: JSON, status: Int = 200) -> Mock {
    json(status) { try value.data() }
  }

  /// Returns a response with an encoded value as its JSON body.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - status: The status code.
  ///   - encoder: The encoder. `nil` uses an encoder that sorts members by name.
  /// - Returns: The mock, of the type `application/json`. If the value cannot be encoded, the
  ///   request fails in memory, and on a socket the response is a 500.
  @_disfavoredOverload
  public static func json(
    _ value: some Encodable, status: Int = 200, encoder: JSONEncoder? = nil
  ) -> Mock {
    json(status) {
      if let encoder { return try encoder.encode(value) }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(value)
    }
  }

  /// Returns a response with an object of encoded values as its JSON body.
  ///
  /// ```swift
  /// case .board(let id): .json(["id": id, "title": "Balsa Fish"])
  /// ```
  ///
  /// - Parameters:
  ///   - members: The members of the object. Their values may have different types. `nil` is sent as
  ///     `null`.
  ///   - status: The status code.
  ///   - encoder: The encoder. `nil` uses an encoder that sorts members by name.
  /// - Returns: The mock, of the type `application/json`. If a value cannot be encoded, the request
  ///   fails in memory, and on a socket the response is a 500.
  @_disfavoredOverload
  public static func json(
    _ members: [String: (any Encodable)?], status: Int = 200, encoder: JSONEncoder? = nil
  ) -> Mock {
    json(members.mapValues { EncodableMember(value: $0) }, status: status, encoder: encoder)
  }

  private static func json(_ status: Int, _ encode: () throws -> Data) -> Mock {
    do {
      return data(try encode(), contentType: "application/json", status: status)
    } catch {
      var mock = Mock()
      mock.source = .invalid("the response body cannot be encoded as JSON: \(error)")
      return mock
    }
  }

  /// Returns a response with the contents of a file in the current folder or in the program's
  /// resources.
  ///
  /// The current folder is searched first. The file is opened for each response and read in pieces
  /// while it is sent. If it is missing, the request fails in memory, and on a socket the response is
  /// a 500; both messages contain the name of the file and the folders searched.
  ///
  /// With the status 200, the response to GET and HEAD has the fields `ETag`, `Last-Modified` and
  /// `Accept-Ranges`. A request whose conditions fail receives a 304 or 412, and a request for one
  /// range of bytes a 206 or 416. A request for several ranges receives the whole file.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - status: The status code.
  /// - Returns: The mock. The file extension determines its content type. `ETag` and `Last-Modified`
  ///   fields that you set replace those of the file.
  public static func file(_ name: String, status: Int = 200) -> Mock {
    file(MockFile(name), status)
  }

  /// Returns a response with the contents of a file in a folder.
  ///
  /// See ``file(_:status:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - folder: The folder.
  ///   - status: The status code.
  /// - Returns: The mock.
  public static func file(_ name: String, in folder: URL, status: Int = 200) -> Mock {
    file(MockFile(name, in: folder), status)
  }

  /// Returns a response with the contents of a file in the resources of a bundle.
  ///
  /// See ``file(_:status:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - bundle: The bundle, such as `.module`.
  ///   - status: The status code.
  /// - Returns: The mock.
  public static func file(_ name: String, in bundle: Bundle, status: Int = 200) -> Mock {
    file(MockFile(name, in: bundle), status)
  }

  private static func file(_ file: MockFile, _ status: Int) -> Mock {
    Mock(
      status: status, headers: ["Content-Type": contentType(of: file.name)], body: .file(file))
  }

  /// Returns a response with the file of a folder that the path of the request names.
  ///
  /// ```swift
  /// Route(.get, "/images/{name*}", .folder(URL(filePath: "images")))
  /// ```
  ///
  /// A file is served like a single one: see ``file(_:status:)``. The response is a 404 if the folder
  /// does not have the file, if the name or a symbolic link leads out of the folder, and if a
  /// component of the name begins with a dot, other than `.well-known`. The response for a folder is its
  /// `index.html`, or a page with links to its files.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - variable: The variable of the route's path with the name of the file.
  /// - Returns: The mock. The extension of the file determines its content type, unless you set one.
  public static func folder(_ folder: URL, variable: String = "name") -> Mock {
    Mock(body: .file(MockFile(folder: folder, variable: variable)))
  }

  /// Returns the content type for the extension of a file name.
  static func contentType(of fileName: String) -> String {
    let type = fileName.lastIndex(of: ".").flatMap {
      MediaType(fileExtension: String(fileName[$0...].dropFirst()))
    }
    return type?.description ?? "application/octet-stream"
  }

  /// Returns a failure in place of a response.
  ///
  /// - Parameter code: The code of the failure.
  /// - Returns: The mock. See ``failure-swift.property`` for its behavior on a socket.
  public static func failure(_ code: NetworkError.Code) -> Mock {
    Mock(failure: .code(code))
  }

  /// Returns a failure with an error of any type in place of a response.
  ///
  /// ```swift
  /// case .pay: .failure(ShopError.cardDeclined)
  ///
  /// shop.request(.pay).recover(ShopError.self) { error in askForAnotherCard() }
  /// ```
  ///
  /// The request is rejected with the error itself, not with a `NetworkError` that contains it, like
  /// a request that an interceptor or the middleware rejects. It passes through the stages of the
  /// client first; a retry policy decides whether to retry it. A `CancellationError` cancels the
  /// request.
  ///
  /// - Parameter error: The error.
  /// - Returns: The mock. See ``failure-swift.property`` for its behavior on a socket.
  public static func failure(_ error: any Error) -> Mock {
    Mock(failure: .error(error))
  }

  /// Returns a response in the chunked coding.
  ///
  /// - Parameters:
  ///   - chunks: The pieces of the body, one chunk each. Empty pieces are skipped.
  ///   - contentType: The content type of the body. `nil` sends none.
  ///   - status: The status code.
  /// - Returns: The mock. An HTTP/1.0 client, which does not support the chunked coding, receives
  ///   the plain bytes.
  public static func chunks(
    _ chunks: [Data], contentType: String? = "application/octet-stream", status: Int = 200
  ) -> Mock {
    Mock(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:],
      body: .chunks(chunks))
  }

  /// Returns a response with a generated body of a given size.
  ///
  /// The bytes count from 0 to 255, repeatedly. They are generated while they are sent, so a large
  /// body uses no memory.
  ///
  /// - Parameter byteCount: The size of the body. A negative size counts as 0.
  /// - Returns: The mock, of the type `application/octet-stream`.
  public static func bytes(_ byteCount: Int) -> Mock {
    Mock(
      headers: ["Content-Type": "application/octet-stream"],
      body: .generated(byteCount: max(byteCount, 0)) { range in
        let shift = range.lowerBound & 0xFF
        return bytePattern[shift..<(shift + min(range.count, bytePattern.count - 256))]
      })
  }

  private static let bytePattern = Data(
    (0..<(64 * 1024 + 256)).map { UInt8(truncatingIfNeeded: $0) })

  /// Returns a redirect.
  ///
  /// - Parameters:
  ///   - location: The target, a path or a URL.
  ///   - status: The status code.
  /// - Returns: The mock.
  public static func redirect(to location: String, status: Int = 302) -> Mock {
    Mock(status: status, headers: ["Location": location])
  }

  /// Returns a 200 response with a fault.
  ///
  /// The body is long enough for the fault to occur before its end.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - stage: The position of the fault in the response. By default, the fault occurs after the
  ///     request, before the response.
  /// - Returns: The mock.
  public static func fault(_ fault: MockFault, at stage: MockFault.Stage = .request) -> Mock {
    let afterBytes = if case .body(let afterBytes) = stage { max(afterBytes, 0) } else { 0 }
    return .bytes(min(afterBytes, .max - 1024) + 1024).interrupted(by: fault, at: stage)
  }
}

/// A value of any type that an encoder can encode.
private struct EncodableMember: Encodable {
  let value: (any Encodable)?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value {
      // Through the container, so that the strategies of the encoder apply to a date or to data.
      try container.encode(value)
    } else {
      try container.encodeNil()
    }
  }
}

extension Mock {
  /// Returns a response with a problem document, like the errors of a `Resource`.
  ///
  /// ```swift
  /// Route(.post, "/login", .problem(401, "the password is wrong"))
  /// // {"type":"about:blank","title":"Unauthorized","status":401,"detail":"the password is wrong"}
  /// ```
  ///
  /// Source: RFC 9457.
  ///
  /// - Parameters:
  ///   - status: The status code. Its standard reason is the title of the problem.
  ///   - detail: A description of this occurrence of the problem.
  /// - Returns: The mock, of the type `application/problem+json`.
  public static func problem(_ status: Int, _ detail: String) -> Mock {
    problem(status, detail, members: [:])
  }

  /// Returns a response with a problem document that has further members.
  package static func problem(_ status: Int, _ detail: String, members: [String: JSON]) -> Mock {
    let title = ReasonPhrase.of(status)
    let standard: [String: JSON] = [
      "type": "about:blank", "title": .string(title.isEmpty ? "Error" : title),
      "status": .int(status), "detail": .string(detail),
    ]
    let document = JSON.dictionary(members.merging(standard) { _, standard in standard })
    let order = ["type", "title", "status", "detail"]
    let text = try? document.data { order.firstIndex(of: $0) ?? order.count }
    return .data(text ?? Data(), contentType: "application/problem+json", status: status)
  }
}

/// The reason phrases of statuses.
///
/// Source: RFC 9110 section 15 and the IANA registry of HTTP status codes.
package enum ReasonPhrase {
  /// Returns the phrase, or an empty string for a status without one.
  package static func of(_ status: Int) -> String { phrases[status] ?? "" }

  private static let phrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
    204: "No Content", 205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
    511: "Network Authentication Required",
  ]
}
