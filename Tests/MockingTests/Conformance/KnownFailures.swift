#if os(Linux)
  extension Limit {
    /// What libcurl does otherwise.
    static let curl: [Limit] = [
      Limit(
        .curl, "two lengths makes a response malformed",
        "libcurl takes the first of several Content-Length fields that differ"),
      Limit(
        .curl, "a length beyond all numbers makes a response malformed",
        "libcurl leaves such a length aside and reads to the end of the connection"),
    ]

    /// What `URLSession` on Linux does otherwise, and nobody above it can mend.
    static let urlSession: [Limit] = [
      Limit(
        .urlSession, "GET with a body arrives",
        "URLSession on Linux sends no body with GET; the transport refuses it"),
      Limit(
        .urlSession, "DELETE without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      Limit(
        .urlSession, "OPTIONS without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      Limit(
        .urlSession, "PURGE without a body says nothing of a body",
        "Foundation adds Content-Length: 0 to every method but GET"),
      Limit(
        .urlSession, "get is another method than GET",
        "Foundation sends the usual methods in capitals"),
      Limit(
        .urlSession, "dot segments in a path are left to the server",
        "libcurl resolves them unless told otherwise, and Foundation does not tell it"),
      Limit(
        .urlSession, "a 3xx without a Location has its body",
        "Foundation keeps the body of 301 to 308 back for the request that it would follow with"),
      Limit(
        .urlSession, "a 3xx that is no redirect without a Location has its body",
        "Foundation keeps the body of 301 to 308 back for the request that it would follow with"),
      Limit(
        .urlSession, "fields come in the order sent",
        "Foundation has them in a dictionary; they are sorted"),
      Limit(
        .urlSession, "fields of one name stay apart",
        "Foundation on Linux joins the fields of one name"),
      Limit(
        .urlSession, "a value in Latin-1 is read as that",
        "Foundation takes fields in UTF-8 only"),
      Limit(
        .urlSession, "spaces around a value are not part of it, those inside are",
        "Foundation trims spaces but not tabs"),
      Limit(
        .urlSession, "spaces around a mock's value are not part of it",
        "Foundation trims spaces but not tabs"),
      Limit(
        .urlSession, "a value without a space before it is read",
        "Foundation takes fields with a space after the colon only when they have one colon"),
      Limit(
        .urlSession, "lines that end without a carriage return are read",
        "Foundation takes lines that end in CR LF only"),
      Limit(
        .urlSession, "an answer without a reason phrase is read",
        "Foundation takes status lines of three parts only"),
      Limit(
        .urlSession, "the version spoken is told: 1.0",
        "Foundation does not tell the version"),
      Limit(
        .urlSession, "the names of the request's fields keep their case",
        "Foundation joins them by name, so that they are handed over in one case"),
      Limit(
        .urlSession, "the request's fields keep their order",
        "Foundation has them in a dictionary"),
      Limit(
        .urlSession, "the request's fields of one name arrive apart",
        "Foundation on Linux joins the fields of one name"),
      Limit(
        .urlSession, "no field is added but Host and what codings are known",
        "Foundation adds Accept, Accept-Language and User-Agent"),
      Limit(
        .urlSession, "a request that accepts only identity gets the bytes as they come",
        "Foundation decodes whatever was asked for"),
      Limit(
        .urlSession, "it is told whether a connection had served before",
        "Foundation on Linux measures nothing"),
      Limit(
        .urlSession, "a connection that does not come about times out, without a body",
        "nothing tells it from a server that is silent: the code is that of being idle"),
      Limit(
        .urlSession, "a server waits for a reader that takes nothing",
        "Foundation has no backpressure: it reads on, into memory"),
      Limit(
        .urlSession, "a status of two digits makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      Limit(
        .urlSession, "a status of four digits makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      Limit(
        .urlSession, "a status below 100 makes a response malformed",
        "Foundation gives libcurl's failure the code of a URL that is not supported"),
      Limit(
        .urlSession, "a field with a NUL in it makes a response malformed",
        "Foundation gives libcurl's failure no code, and its words do not tell"),
      Limit(
        .urlSession, "two lengths makes a response malformed",
        "libcurl takes the first of several Content-Length fields that differ"),
      Limit(
        .urlSession, "a length beyond all numbers makes a response malformed",
        "libcurl leaves such a length aside and reads to the end of the connection"),
      Limit(
        .urlSession, "a stream that does not tell its length goes in chunks",
        "a copy of it is made first, whose length is known"),
      Limit(
        .urlSession, "a connection closed among the fields is lost",
        "Foundation ends the process when a transfer is over with a part of a head", isNotRun: true),
      Limit(
        .urlSession, "trailers are passed over",
        "Foundation ends the process on a trailer, which it takes for a field of a head",
        isNotRun: true),
      Limit(
        .urlSession, "a Location with an IPv6 host and no scheme is followed",
        "Foundation ends the process on it, before anybody is asked", isNotRun: true),
    ]

    /// What does not happen in memory.
    static let mock: [Limit] = [
      Limit(
        .mock, "a sized body in gzip is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a chunked body in gzip is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a sized body in deflate is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a chunked body in deflate is decoded",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a body that is no gzip is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a body that is no deflate is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a body in a coding that nobody knows is malformed",
        "no content coding is taken off in memory, as nothing here may write a decoder"),
      Limit(
        .mock, "a value folded to a second line is one",
        "what reads a mock's bytes is as strict as its server, and folding is obsolete"),
      Limit(
        .mock, "lines that end without a carriage return are read",
        "what reads a mock's bytes is as strict as its server"),
      Limit(
        .mock, "it is told whether a connection had served before",
        "there are no connections in memory"),
      Limit(
        .mock, "a connection that the server is to close serves no more",
        "there are no connections in memory"),
      Limit(
        .mock, "a server waits for a reader that takes nothing",
        "an answer without delays is given before there is a handle to hold it back by"),
      Limit(
        .mock, "a stream that does not tell its length goes in chunks",
        "it is read into memory first, so that its length is known"),
    ]
  }
#endif
