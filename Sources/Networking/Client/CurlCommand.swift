import Foundation

extension HTTPRequest {
  /// A command for a POSIX shell by which the `curl` tool sends this request.
  ///
  /// ```swift
  /// print(request.curlCommand())
  /// // curl -X POST --compressed -H 'Authorization: ***' --data-raw '{"title":"Fish"}' 'https://api.example.com/v1/boards'
  /// ```
  ///
  /// Whatever is in the request, the command is one command: nothing in it is expanded or run. Method, URL, header
  /// fields and body arrive as from a client; besides, `curl` adds an `Accept` and a `User-Agent` where the request has
  /// none.
  ///
  /// - **Bodies.** Text is in the command, other bytes come from a `printf` in front of it, and files are read where they
  ///   are. A ``BodyStream`` is read from the command's standard input.
  /// - **Secrets.** A redacted command has the values of telling names replaced by `***`, in the URL, the header fields,
  ///   and in bodies of JSON, forms or text; in place of other bytes in memory is their number. It can be shown to
  ///   others, and will be refused by a server that wants the secrets. One that is not redacted can be run by whoever
  ///   gets to see it.
  ///
  /// - Parameter redacted: whether secrets are masked.
  /// - Returns: the command, without a line break behind it.
  public func curlCommand(redacted: Bool = true) -> String {
    let fields = redacted ? headers.redacted() : headers
    let url = redacted ? Redactor.standard.maskedURL(url.absoluteString) : url.absoluteString
    let (input, bodyWords) = curlBody(redacted: redacted)
    var words = ["curl"]
    switch (method, bodyWords.isEmpty) {
    case (.get, true): break
    case (.head, true): words.append("--head")
    default: words += ["-X", ShellQuoting.quoted(method.rawValue)]
    }
    // Brackets and braces are no patterns, and dots no steps, to the server either.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    if url.contains("/.") { words.append("--path-as-is") }
    if headers.contains("Accept-Encoding") { words.append("--compressed") }
    for field in fields {
      // No field that could be sent has a control character in it.
      let value = NetworkError.singleLine(field.value)
      words += [
        "-H", ShellQuoting.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"),
      ]
    }
    // Otherwise it would say that the body is a form.
    if !bodyWords.isEmpty, !headers.contains("Content-Type") { words += ["-H", "'Content-Type:'"] }
    words += bodyWords
    words.append(ShellQuoting.quoted(url))
    let command = words.joined(separator: " ")
    return input.map { "\($0) | \(command)" } ?? command
  }

  /// What comes before the command for its body's sake, if anything, and the words in it.
  private func curlBody(redacted: Bool) -> (input: String?, words: [String]) {
    let fromInput = ["--data-binary", "@-"]
    switch body {
    case .none: return (nil, [])
    case .stream: return (nil, fromInput)
    case .file(let file): return (nil, ["--data-binary", ShellQuoting.quoted("@\(file.path)")])
    case .data(let data):
      let data = redacted ? redactedBody(data) : data
      if let argument = ShellQuoting.argument(data) {
        return (nil, ["--data-raw", ShellQuoting.quoted(argument)])
      }
      return (ShellQuoting.printfCommand(data), fromInput)
    case .pieces(let pieces):
      let commands = pieces.map { piece in
        switch piece {
        case .data(let data): ShellQuoting.printfCommand(redacted ? redactedBody(data) : data)
        case .file(let file): "cat \(ShellQuoting.quoted(file.path))"
        }
      }
      return ("{ \(commands.joined(separator: "; ")); }", fromInput)
    }
  }

  private func redactedBody(_ data: Data) -> Data {
    guard !data.isEmpty else { return data }
    let text =
      Redactor.standard.maskedBody(data, contentType: headers["Content-Type"])
      ?? "(\(data.count) bytes)"
    return Data(text.utf8)
  }
}

extension Networking {
  /// A command for a POSIX shell by which the `curl` tool sends what this client would send for an endpoint.
  ///
  /// ```swift
  /// print(try networking.curlCommand(for: .boards))
  /// ```
  ///
  /// The request is built as for `request(_:progress:file:line:)`, on this thread, with ``beforeEach``,
  /// ``preProcessRequest``, the credentials in force and the cookies kept for its URL. What ``middleware`` and
  /// interceptors do is not in it, and nothing is sent.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - redacted: whether secrets are masked; see ``HTTPRequest/curlCommand(redacted:)``.
  /// - Returns: the command, without a line break behind it.
  /// - Throws: what the endpoint throws, what ``preProcessRequest`` throws, and ``NetworkError`` when the request
  ///   cannot be built.
  public func curlCommand(for endpoint: Endpoint, redacted: Bool = true) throws -> String {
    try firstHop(of: endpoint).curlCommand(redacted: redacted)
  }

  /// A command by which the `curl` tool sends what this client would send for an endpoint that was changed on the
  /// spot.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - redacted: whether secrets are masked.
  /// - Returns: the same as for the plain endpoint.
  /// - Throws: the same as for the plain endpoint.
  public func curlCommand(
    for endpoint: ModifiedEndpoint<Endpoint>, redacted: Bool = true
  ) throws -> String {
    try firstHop(of: endpoint).curlCommand(redacted: redacted)
  }

  private func firstHop<SomeEndpoint: RequestConvertible>(of endpoint: SomeEndpoint) throws
    -> HTTPRequest
  {
    let settings = settings.withLock { $0.settings }
    let asked = try endpoint.request
    var request = try runner.wireRequest(
      of: settings.beforeEach?(asked) ?? asked, headers: SomeEndpoint.headers,
      baseURL: settings.baseURL() ?? SomeEndpoint.baseURL, preProcess: settings.preProcessRequest)
    if let credentials = settings.credentials {
      request = AuthorizationStage.adding(credentials, to: request)
    }
    return runner.cookies.map { CookieStage(storage: $0).addingCookies(to: request) } ?? request
  }
}

/// Words for a POSIX shell.
///
/// Source: POSIX.1-2017, Shell Command Language, section 2.2; `printf`, extended description.
enum ShellQuoting {
  /// A text as one word; the shell changes nothing in it.
  static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }

  /// A command that prints bytes of any values, zero among them.
  static func printfCommand(_ data: Data) -> String {
    var text = ""
    for byte in data {
      switch byte {
      case UInt8(ascii: "%"): text += "%%"
      case UInt8(ascii: "\\"): text += #"\\"#
      case UInt8(ascii: "'"): text += #"\047"#
      case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += String(format: "\\%03o", byte)
      }
    }
    // A format that begins with a dash would be taken for an option.
    return "printf -- '\(text)'"
  }

  /// The text of bytes that can be a word on a command line, and be pasted into a terminal; nil when they cannot.
  ///
  /// Linux takes words of up to 128 KiB.
  static func argument(_ data: Data) -> String? {
    guard data.count <= 64 << 10,
      data.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") })
    else { return nil }
    return String(data: data, encoding: .utf8)
  }
}
