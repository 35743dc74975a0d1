#if os(Linux) || os(macOS)
  extension KnownFailure {
    /// The behaviours that `URLSession` on Linux does not support, and that cannot be implemented
    /// on top of it.
    static let urlSession: [KnownFailure] = [
      KnownFailure(
        .urlSession, "GET with a body arrives",
        "URLSession on Linux sends no body with GET; the transport rejects it"),
      KnownFailure(
        .urlSession, "DELETE without a body has no body fields",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "OPTIONS without a body has no body fields",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "PURGE without a body has no body fields",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "methods are case-sensitive",
        "Foundation capitalizes the standard methods"),
      KnownFailure(
        .urlSession, "dot segments in a path are sent unchanged",
        "libcurl resolves them by default, and Foundation does not disable that"),
      KnownFailure(
        .urlSession, "a 3xx without a Location has its body",
        "Foundation discards the body of 301 to 308, because it expects to follow them"),
      KnownFailure(
        .urlSession, "a 3xx that is not a redirect without a Location has its body",
        "Foundation discards the body of 301 to 308, because it expects to follow them"),
      KnownFailure(
        .urlSession, "fields keep their order",
        "Foundation stores them in a dictionary; they are sorted"),
      KnownFailure(
        .urlSession, "fields of one name stay separate",
        "Foundation on Linux joins the fields of one name"),
      KnownFailure(
        .urlSession, "a Latin-1 value is decoded",
        "Foundation accepts only UTF-8 fields"),
      KnownFailure(
        .urlSession, "whitespace around a value is removed and inside it is kept",
        "Foundation trims spaces but not tabs"),
      KnownFailure(
        .urlSession, "whitespace around a value of a mock is removed",
        "Foundation trims spaces but not tabs"),
      KnownFailure(
        .urlSession, "a value without a preceding space is parsed",
        "Foundation requires a space after the colon if the value has a colon"),
      KnownFailure(
        .urlSession, "lines without a carriage return are parsed",
        "Foundation accepts only lines that end in CR LF"),
      KnownFailure(
        .urlSession, "a response without a reason phrase is parsed",
        "Foundation accepts only status lines of three parts"),
      KnownFailure(
        .urlSession, "the protocol version 1.0 is reported",
        "Foundation does not report the version"),
      KnownFailure(
        .urlSession, "field names of the request keep their case",
        "Foundation joins fields by name, so they are passed in one case"),
      KnownFailure(
        .urlSession, "fields of the request keep their order",
        "Foundation stores them in a dictionary"),
      KnownFailure(
        .urlSession, "request fields of one name arrive separately",
        "Foundation on Linux joins the fields of one name"),
      KnownFailure(
        .urlSession, "only Host and Accept-Encoding are added",
        "Foundation adds Accept, Accept-Language and User-Agent"),
      KnownFailure(
        .urlSession, "a request that accepts only identity receives the bytes unchanged",
        "Foundation always decodes"),
      KnownFailure(
        .urlSession, "a body in an unknown coding is delivered as received",
        "Foundation makes libcurl decode, which rejects an unknown coding"),
      KnownFailure(
        .urlSession, "the reuse of a connection is reported",
        "Foundation on Linux has no metrics"),
      KnownFailure(
        .urlSession, "a connection that is not established times out without a body",
        "Foundation does not distinguish it from a silent server, so the code is that of an idle timeout"
      ),
      KnownFailure(
        .urlSession, "a server waits for a reader that does not read",
        "Foundation has no backpressure; it reads into memory"),
      KnownFailure(
        .urlSession, "a stream without a length is sent chunked",
        "the transport first makes a copy with a known length"),
      KnownFailure(
        .urlSession, "a connection closed in the header is lost",
        "Foundation traps when a transfer ends within a head", isNotRun: true),
      KnownFailure(
        .urlSession, "trailers are ignored",
        "Foundation traps on a trailer, which it parses as a header field",
        isNotRun: true),
      KnownFailure(
        .urlSession, "a Location with an IPv6 host and no scheme is followed",
        "Foundation traps on it before it calls its delegate", isNotRun: true),
    ]

    /// The behaviours that do not apply in memory.
    static let mock: [KnownFailure] = [
      KnownFailure(
        .mock, "a sized body in gzip is decoded",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a chunked body in gzip is decoded",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a sized body in deflate is decoded",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a chunked body in deflate is decoded",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a body that is not gzip is malformed",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a body that is not deflate is malformed",
        "the in-memory transport has no decoders"),
      KnownFailure(
        .mock, "a folded value is unfolded",
        "the in-memory parser is as strict as the server, and folding is obsolete"),
      KnownFailure(
        .mock, "lines without a carriage return are parsed",
        "the in-memory parser is as strict as the server"),
      KnownFailure(
        .mock, "the reuse of a connection is reported",
        "there are no connections in memory"),
      KnownFailure(
        .mock, "a connection that the server will close is not reused",
        "there are no connections in memory"),
      KnownFailure(
        .mock, "a server waits for a reader that does not read",
        "a response without delays is delivered before the handle exists"),
      KnownFailure(
        .mock, "a stream without a length is sent chunked",
        "the stream is read into memory first, so its length is known"),
    ]
  }
#endif
