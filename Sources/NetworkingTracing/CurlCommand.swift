import Foundation
public import Networking

extension HTTPRequest {
  /// Returns a command for a POSIX shell that sends this request with the `curl` tool.
  ///
  /// ```swift
  /// print(request.curlCommand())
  /// // curl -X 'POST' -H 'Authorization: ***' -H 'Content-Type: application/json'
  /// //   --data-raw '{"title":"Fish"}' 'https://api.example.com/v1/boards'
  /// ```
  ///
  /// All parts are quoted, so that the shell neither expands nor runs any part of the request. The
  /// server receives the same method, URL, header fields and body as from a client. `curl` adds an
  /// `Accept` and a `User-Agent` field if the request has none.
  ///
  /// - **Bodies.** Text is part of the command. Other bytes are piped from a `printf`, and files
  ///   are read from disk. A ``BodyStream`` is read from the standard input of the command.
  /// - **Secrets.** A redacted command has `***` in place of the values of secrets, in the URL, the
  ///   header fields, and in JSON, form and text bodies; other bytes in memory are replaced by
  ///   their count. A server that needs the secrets rejects it. A command that is not redacted
  ///   contains all secrets. A request that a client has built also masks the client's
  ///   ``NetworkingConfiguration/secretNames``.
  ///
  /// - Parameter redacted: Whether secrets are masked.
  /// - Returns: The command, without a final line break.
  public func curlCommand(redacted: Bool = true) -> String {
    let redactor = attributes.redactor
    let fields = redacted ? headers.redacted(by: redactor) : headers
    let url = redacted ? redactor.maskedURL(url.absoluteString) : url.absoluteString
    let (input, bodyWords) = curlBody(redacted: redacted)
    var words = ["curl"]
    switch (method, bodyWords.isEmpty) {
    case (.get, true): break
    case (.head, true): words.append("--head")
    default: words += ["-X", ShellQuoting.quoted(method.rawValue)]
    }
    // Otherwise curl would expand brackets and braces, and remove dot segments.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    if url.contains("/.") { words.append("--path-as-is") }
    if headers.contains("Accept-Encoding") { words.append("--compressed") }
    for field in fields {
      // A field with a control character could not be sent anyway.
      let value = NetworkError.singleLine(field.value)
      words += [
        "-H", ShellQuoting.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"),
      ]
    }
    // Otherwise curl would send the content type of a form.
    if !bodyWords.isEmpty, !headers.contains("Content-Type") { words += ["-H", "'Content-Type:'"] }
    words += bodyWords
    words.append(ShellQuoting.quoted(url))
    let command = words.joined(separator: " ")
    return input.map { "\($0) | \(command)" } ?? command
  }

  /// Returns the command that pipes the body, if there is one, and the arguments for the body.
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
        case .stream: "cat"
        }
      }
      return ("{ \(commands.joined(separator: "; ")); }", fromInput)
    }
  }

  private func redactedBody(_ data: Data) -> Data {
    guard !data.isEmpty else { return data }
    let text =
      attributes.redactor.maskedBody(data, contentType: headers["Content-Type"])
      ?? "(\(data.count) bytes)"
    return Data(text.utf8)
  }
}

extension Networking {
  /// Returns a command for a POSIX shell that sends the request of an endpoint with the `curl`
  /// tool, as this client would send it.
  ///
  /// ```swift
  /// print(try networking.curlCommand(for: .boards))
  /// ```
  ///
  /// The request is built as for `request(_:_:file:line:)`, on the current thread, with
  /// ``beforeEach``, ``preProcessRequest``, the current credentials and the stored cookies. Changes
  /// by ``middleware`` and interceptors are not included, and the body is not compressed. Nothing is
  /// sent.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of the request, which are applied in order.
  ///   - redacted: Whether secrets are masked; see ``HTTPRequest/curlCommand(redacted:)``.
  /// - Returns: The command, without a final line break.
  /// - Throws: ``NetworkError`` if the request cannot be built, and errors of the endpoint and of
  ///   ``preProcessRequest``.
  public func curlCommand(
    for endpoint: Endpoint, _ options: RequestOption..., redacted: Bool = true
  ) throws -> String {
    try firstHop(of: endpoint, options).curlCommand(redacted: redacted)
  }

  /// Returns a command that sends the request of a typed endpoint, like that of an `Endpoint`.
  @_disfavoredOverload
  public func curlCommand(
    for endpoint: some TypedEndpoint, _ options: RequestOption..., redacted: Bool = true
  ) throws -> String {
    try firstHop(of: endpoint, options).curlCommand(redacted: redacted)
  }
}

/// Quoting for a POSIX shell.
///
/// Source: POSIX.1-2017, Shell Command Language, section 2.2; `printf`, extended description.
enum ShellQuoting {
  /// Returns a text as one word, which the shell does not expand.
  ///
  /// The shell reads bytes. A quotation mark and a following combining character form one
  /// `Character`, so a search for characters would leave that mark as it is.
  static func quoted(_ text: String) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'\(parts.map { String(Substring($0)) }.joined(separator: #"'\''"#))'"
  }

  /// Returns a command that prints bytes of any values, including zero.
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
    // `--`, because a format that begins with a dash would be taken for an option.
    return "printf -- '\(text)'"
  }

  /// Returns bytes as a command-line argument that can be pasted into a terminal, or `nil` if they
  /// cannot be one.
  ///
  /// Linux limits an argument to 128 KiB.
  static func argument(_ data: Data) -> String? {
    guard data.count <= 64 << 10,
      data.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") })
    else { return nil }
    return String(data: data, encoding: .utf8)
  }
}
