#if os(Linux)
  extension KnownFailure {
    /// The behaviours that libcurl does not have.
    static let curl: [KnownFailure] = [
      KnownFailure(
        .curl, "two lengths makes a response malformed",
        "libcurl takes the first of several Content-Length fields that differ"),
      KnownFailure(
        .curl, "a length beyond all numbers makes a response malformed",
        "libcurl leaves such a length aside and reads to the end of the connection"),
    ]

    /// The behaviours that `URLSession` on Linux does not have, and that its callers cannot repair.
    static let urlSession: [KnownFailure] = [
      KnownFailure(
        .urlSession, "GET with a body arrives",
        "URLSession on Linux sends no body with GET; the transport refuses it"),
      KnownFailure(
        .urlSession, "DELETE without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "OPTIONS without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "PURGE without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      KnownFailure(
        .urlSession, "get is another method than GET",
        "Foundation sends the usual methods in capitals"),
      KnownFailure(
        .urlSession, "dot segments in a path are left to the server",
        "libcurl resolves them unless told otherwise, and Foundation does not tell it"),
      KnownFailure(
        .urlSession, "a 3xx without a Location has its body",
        "Foundation keeps the body of 301 to 308 back for the request that it would follow with"),
      KnownFailure(
        .urlSession, "a 3xx that is no redirect without a Location has its body",
        "Foundation keeps the body of 301 to 308 back for the request that it would follow with"),
      KnownFailure(
        .urlSession, "fields come in the order sent",
        "Foundation has them in a dictionary; they are sorted"),
      KnownFailure(
        .urlSession, "fields of one name stay apart",
        "Foundation on Linux joins the fields of one name"),
      KnownFailure(
        .urlSession, "a value in Latin-1 is read as that",
        "Foundation takes fields in UTF-8 only"),
      KnownFailure(
        .urlSession, "spaces around a value are not part of it, those inside are",
        "Foundation trims spaces but not tabs"),
      KnownFailure(
        .urlSession, "spaces around a mock's value are not part of it",
        "Foundation trims spaces but not tabs"),
      KnownFailure(
        .urlSession, "a value without a space before it is read",
        "Foundation takes fields with a space after the colon only when they have one colon"),
      KnownFailure(
        .urlSession, "lines that end without a carriage return are read",
        "Foundation takes lines that end in CR LF only"),
      KnownFailure(
        .urlSession, "an answer without a reason phrase is read",
        "Foundation takes status lines of three parts only"),
      KnownFailure(
        .urlSession, "the version spoken is told: 1.0",
        "Foundation does not tell the version"),
      KnownFailure(
        .urlSession, "the names of the request's fields keep their case",
        "Foundation joins them by name, so that they are handed over in one case"),
      KnownFailure(
        .urlSession, "the request's fields keep their order",
        "Foundation has them in a dictionary"),
      KnownFailure(
        .urlSession, "the request's fields of one name arrive apart",
        "Foundation on Linux joins the fields of one name"),
      KnownFailure(
        .urlSession, "no field is added but Host and what codings are known",
        "Foundation adds Accept, Accept-Language and User-Agent"),
      KnownFailure(
        .urlSession, "a request that accepts only identity gets the bytes as they come",
        "Foundation decodes whatever was asked for"),
      KnownFailure(
        .urlSession, "it is told whether a connection had served before",
        "Foundation on Linux measures nothing"),
      KnownFailure(
        .urlSession, "a connection that does not come about times out, without a body",
        "nothing tells it from a server that is silent: the code is that of being idle"),
      KnownFailure(
        .urlSession, "a server waits for a reader that takes nothing",
        "Foundation has no backpressure: it reads on, into memory"),
      KnownFailure(
        .urlSession, "a status of two digits makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      KnownFailure(
        .urlSession, "a status of four digits makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      KnownFailure(
        .urlSession, "a status below 100 makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      KnownFailure(
        .urlSession, "a field with a NUL in it makes a response malformed",
        "Foundation gives libcurl's failure no code, and its words do not tell"),
      KnownFailure(
        .urlSession, "two lengths makes a response malformed",
        "libcurl takes the first of several Content-Length fields that differ"),
      KnownFailure(
        .urlSession, "a length beyond all numbers makes a response malformed",
        "libcurl leaves such a length aside and reads to the end of the connection"),
      KnownFailure(
        .urlSession, "a stream that does not tell its length goes in chunks",
        "a copy of it is made first, whose length is known"),
      KnownFailure(
        .urlSession, "a connection closed among the fields is lost",
        "Foundation ends the process when a transfer is over with a part of a head", isNotRun: true),
      KnownFailure(
        .urlSession, "trailers are passed over",
        "Foundation ends the process on a trailer, which it takes for a field of a head",
        isNotRun: true),
      KnownFailure(
        .urlSession, "a Location with an IPv6 host and no scheme is followed",
        "Foundation ends the process on it, before anybody is asked", isNotRun: true),
    ]

    /// The behaviours that do not apply in memory.
    static let mock: [KnownFailure] = [
      KnownFailure(
        .mock, "a sized body in gzip is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a chunked body in gzip is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a sized body in deflate is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a chunked body in deflate is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a body that is no gzip is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a body that is no deflate is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a body in a coding that nobody knows is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      KnownFailure(
        .mock, "a value folded to a second line is one",
        "what reads a mock's bytes is as strict as its server, and folding is obsolete"),
      KnownFailure(
        .mock, "lines that end without a carriage return are read",
        "what reads a mock's bytes is as strict as its server"),
      KnownFailure(
        .mock, "it is told whether a connection had served before",
        "there are no connections in memory"),
      KnownFailure(
        .mock, "a connection that the server is to close serves no more",
        "there are no connections in memory"),
      KnownFailure(
        .mock, "a server waits for a reader that takes nothing",
        "an answer without delays is given before there is a handle to hold it back by"),
      KnownFailure(
        .mock, "a stream that does not tell its length goes in chunks",
        "it is read into memory first, so that its length is known"),
    ]
  }
#endif
