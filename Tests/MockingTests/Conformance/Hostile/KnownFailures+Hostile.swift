#if os(Linux) || os(macOS)
  extension KnownFailure {
    /// The responses of a hostile server that `URLSession` on Linux does not handle as it should.
    ///
    /// Foundation uses the libcurl of the system. These are failures of Foundation and of libcurl 7.88,
    /// before the transport sees the response.
    static let hostile: [KnownFailure] = [
      make("libcurl 7.88 writes to freed memory", isNotRun: true, foldedFirstLines),
      make(
        "Foundation traps when a transfer ends within a head", isNotRun: true,
        Behaviour.hostileCutsInHead),
      make(
        "Foundation traps on a trailer, which it parses as a header field", isNotRun: true, trailers
      ),
      make(
        "Foundation traps on it before it calls its delegate", isNotRun: true,
        ["a location of an IPv6 host without a scheme"]),
      make(
        "Foundation reports a redirect only at the end of its body", isNotRun: true,
        ["a redirect with an endless body"]),
      make(
        "libcurl before 8.0 takes the bytes for the next response", isNotRun: true,
        Behaviour.hostileUnaskedBytes.map { "an unasked \($0.name) on a kept connection" }),
      make(
        "libcurl ignores the length and reads to the end of the connection", isNotRun: true,
        overflows),
      make(
        "libcurl reads the bytes after it as a body without an end", isNotRun: true,
        ["an unasked switch of protocols"]),
      make(
        "libcurl takes the line for the end of the head, and Foundation does not", isNotRun: true,
        ["a line that begins with a bare CR"]),
      make("libcurl before 8.3 has a limit only for each line", isNotRun: true, endlessHeads),
      make("Foundation traps on so large a length", isNotRun: true, ["a length of 9 EB"]),
      make("libcurl accepts the response", acceptedHeads),
      make("Foundation accepts only lines that end in CR LF", ["bare LFs"]),
      make(
        "Foundation reads the bytes received so far before it closes the connection",
        isNotRun: true,
        ["an endless body", "an endless chunk"]),
      make(
        "Foundation cannot cancel a transfer while libcurl reads without a pause", isNotRun: true,
        ["an endless chunk extension ends with the deadline of the call"]),
      make("Foundation maps libcurl's error to no code", unknownErrors + ["a bare CR in a name"]),
      make("libcurl 7.88 ignores the missing end of a coding", truncatedCodings),
      make("Foundation on Linux joins the fields of one name", ["two locations"]),
    ].flatMap { $0 }

    private static let foldedFirstLines = [
      "a first field line that begins with a space", "a first field line that begins with a tab",
    ]

    private static let trailers = [
      "a trailer with framing fields", "an endless trailer", "a chunk size with 0x",
    ]

    private static let overflows = [
      "99999999999999999999", "18446744073709551618", "9223372036854775808",
    ].map { "length \($0)" }

    private static let endlessHeads = ["endless interim responses", "an endless head"]

    private static let acceptedHeads = [
      "a protocol in lower case", "version 2 without TLS", "version 2.0 without TLS",
      "a bare CR in a value", "a folded transfer coding",
    ]

    private static let unknownErrors = [
      "an endless status line", "an endless field", "an endless name", "a location of 1 MiB",
    ]

    private static let truncatedCodings = ["gzip", "deflate", "br", "zstd"].flatMap {
      ["\($0) that is cut short", "\($0) in chunks that is cut short", "\($0) of one byte"]
    }

    private static func make(
      _ reason: String, isNotRun: Bool = false, _ rows: [String]
    ) -> [KnownFailure] {
      rows.map { KnownFailure(.urlSession, "hostile: \($0)", reason, isNotRun: isNotRun) }
    }
  }
#endif
