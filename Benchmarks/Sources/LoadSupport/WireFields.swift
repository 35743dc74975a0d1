/// The header fields that Catena, async-http-client and the C loop send, so that all make the same request:
/// such as Catena sends of itself, and `Accept`.
///
/// `curl-loop` has a copy. URLSession adds fields of its own like them.
public let wireFields = [
  ("Accept-Encoding", "br, gzip, deflate"),
  ("Accept-Language", "en-001"),
  ("User-Agent", "benchmark (Debian GNU/Linux 12 bookworm) Catena"),
  ("Accept", "application/json"),
]
