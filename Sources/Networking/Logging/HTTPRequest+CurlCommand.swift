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
    let fields = redacted ? Redaction.headers(headers) : headers
    let url = redacted ? Redaction.url(url.absoluteString) : url.absoluteString
    let (input, bodyWords) = curlBody(redacted: redacted)
    var words = ["curl"]
    switch (method, bodyWords.isEmpty) {
    case (.get, true): break
    case (.head, true): words.append("--head")
    default: words += ["-X", ShellText.quoted(method.rawValue)]
    }
    // Brackets and braces are no patterns, and dots no steps, to the server either.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    if url.contains("/.") { words.append("--path-as-is") }
    if headers.contains("Accept-Encoding") { words.append("--compressed") }
    for field in fields {
      // No field that could be sent has a control character in it.
      let value = NetworkError.inOneLine(field.value)
      words += [
        "-H", ShellText.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"),
      ]
    }
    // Otherwise it would say that the body is a form.
    if !bodyWords.isEmpty, !headers.contains("Content-Type") { words += ["-H", "'Content-Type:'"] }
    words += bodyWords
    words.append(ShellText.quoted(url))
    let command = words.joined(separator: " ")
    return input.map { "\($0) | \(command)" } ?? command
  }

  /// What comes before the command for its body's sake, if anything, and the words in it.
  private func curlBody(redacted: Bool) -> (input: String?, words: [String]) {
    let fromInput = ["--data-binary", "@-"]
    switch body {
    case .none: return (nil, [])
    case .stream: return (nil, fromInput)
    case .file(let file): return (nil, ["--data-binary", ShellText.quoted("@\(file.path)")])
    case .data(let data):
      let data = redacted ? redactedBody(data) : data
      if let word = ShellText.word(data) { return (nil, ["--data-raw", ShellText.quoted(word)]) }
      return (ShellText.printing(data), fromInput)
    case .pieces(let pieces):
      let commands = pieces.map { piece in
        switch piece {
        case .data(let data): ShellText.printing(redacted ? redactedBody(data) : data)
        case .file(let file): "cat \(ShellText.quoted(file.path))"
        }
      }
      return ("{ \(commands.joined(separator: "; ")); }", fromInput)
    }
  }

  private func redactedBody(_ data: Data) -> Data {
    guard !data.isEmpty else { return data }
    let text = Redaction.body(data, contentType: headers["Content-Type"]) ?? "(\(data.count) bytes)"
    return Data(text.utf8)
  }
}
