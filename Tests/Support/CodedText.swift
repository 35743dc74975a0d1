package import Foundation

/// A text in the content codings of HTTP, and bodies whose decoded size is much larger.
package enum CodedText {
  package static let text = String(repeating: "Hello, chain! ", count: 6)

  package static let codings = ["gzip", "deflate", "br", "zstd"]

  /// The text in each coding, encoded by zlib, brotli 1.2, and zstd 1.5.
  package static let bodies = decoded([
    "gzip": "H4sIAAAAAAACA/NIzcnJ11FIzkjMzFNU8KAKDwACfLN7VAAAAA==",
    "deflate": "eJzzSM3JyddRSM5IzMxTVPCgCg8AjN4bGQ==",
    "br": "G1MA+J0JdqwVK13ywhIEaazK0DokjO1NsqS5BYLxACA1twE=",
    "zstd": "KLUv/QRYrQAAcEhlbGxvLCBjaGFpbiEgAQAT6FQC6uKyrg==",
  ])

  /// The text encoded twice.
  package static let nestedBodies = decoded([
    "gzip, gzip": "H4sIAAAAAAACA5Pv5mAAASbmzx5nT568HuhxzuPMmeCQDwu4+BmYajZXhwAlAa2bBYElAAAA",
    "gzip,deflate": "eJyT7+ZgAAEm5s8eZ0+evB7occ7jzJngkA8LuPgZmGo2V4cAJQHqmgzA",
  ])

  /// Gzip members without content, compressed twice, by their size in MiB after the first decoding.
  package static let emptyMembers = decoded([
    4:
      "H4sIAAAAAAACA+3EMQqCUAAA0I9CSODUGFG0C65NHaEDNDR0AanFpRM4ttoZsltESLsnaKoTBImHaH"
      + "tvePMqCYMoft9vaVgkIV9WuyLfTEbXZrY97S9t+Vi96uNTkiRJkiRJkiRJkiRJkiT9s8952mWH8fe3"
      + "Dj3X7ife3ycAAA==",
    32:
      "H4sIAAAAAAACA+3cQSuDARzH8Y3LHNhwNVpzniml5eKg5ubmLie5WVEU4jBFay9gJ29AGZbkJNlp5a"
      + "R2cFrtMikpkXq05y04PfX5Hz4v4Hf+9p86TcT6NzDYa84Ox/KJWH4gmUudbVyu59r1enpl9XG+VejW"
      + "SgAAAAAAAAAAAAAAAAAAIBLs9JqZeD8OrAYX6czu+/3X6x4AAAAAAAAAAAAAAAAAAIgQk9udavgpsB"
      + "m8VFI2AQAAAAAAAAAAAAAAAAAgciQXtpbDGLATbBZPbAIAAAAAAAAAAAAAAAAAQOQopwvTYQz4EVxn"
      + "l2wCAAAAAAAAAAAAAAAAAEDkeKhMjIUx4HfQHj23CQAAAAAAAAAAAAAAAAAAkWOtODLUbwEPfw/eEs"
      + "82AQAAAAAAAAAAAAAAAAAgclxln+b6MeDRT+OmfDzerZVaBQAAAAAAAAAAAAAAAADAf2ncxRZn9m8/"
      + "gyD+B2gWxhQTPgEA",
  ])

  private static func decoded<Key>(_ texts: [Key: String]) -> [Key: Data] {
    texts.compactMapValues { Data(base64Encoded: $0) }
  }

  /// A zstd frame of zero bytes, 128 KiB for each 4 bytes.
  ///
  /// Source: RFC 8878 section 3.1.1.
  package static func zstdZeros(blocks: Int) -> Data {
    // A window of 128 KiB; then blocks of the type RLE.
    var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
    for block in 1...blocks {
      let header = (128 << 10) << 3 | 1 << 1 | (block == blocks ? 1 : 0)
      frame += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0]
    }
    return frame
  }
}
