/// The header fields of the requests: Catena's default fields and `Accept`.
///
/// Catena, async-http-client and the C loop send the same request. `curl-loop` has a copy. URLSession
/// adds similar fields itself.
public let wireFields = [
  ("Accept-Encoding", "br, gzip, deflate"),
  ("Accept-Language", "en-001"),
  ("User-Agent", "benchmark (Debian GNU/Linux 12 bookworm) Catena"),
  ("Accept", "application/json"),
]
