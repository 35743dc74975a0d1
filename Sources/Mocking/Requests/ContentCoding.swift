package import Foundation
import Networking

#if CATENA_CURL
  import CCatenaCurl
#elseif canImport(Compression)
  import Compression
#endif

/// A decoder of the content codings of request bodies.
///
/// On Linux it decodes gzip, deflate, and Brotli and zstd if their libraries are available. On Apple
/// platforms it decodes gzip. In a build without libcurl it decodes none.
///
/// Source: RFC 9110 section 8.4.
package enum ContentCoding {
  /// The limit for the size of a decoded body.
  static let sizeLimit = 64 << 20
  /// The limit for the number of codings of a body, which bounds the work for each byte.
  private static let maximumCodings = 4

  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - body: The body as received.
  ///   - codings: The values of `Content-Encoding`.
  ///   - limit: The limit for the size after each coding.
  ///   - reserve: A closure that returns whether a number of further decoded bytes may be kept.
  /// - Returns: The decoded body. `nil` if it has no coding, if a coding is not supported, or if the
  ///   body is invalid or too large.
  package static func decoded(
    _ body: Data, codings: [String], limit: Int = sizeLimit,
    reserving reserve: (_ count: Int) -> Bool = { _ in true }
  ) -> Data? {
    // Fast path: most bodies have no coding.
    guard !codings.isEmpty, !body.isEmpty else { return nil }
    let names = codings.flatMap { value in
      value.lowercased().split(separator: ",").map { String($0).trimmingOptionalWhitespace }
    }
    .filter { !$0.isEmpty && $0 != "identity" }
    guard !names.isEmpty, names.count <= maximumCodings else { return nil }
    var body = body
    for name in names.reversed() {
      guard let decoded = decoded(body, coding: name, limit, reserve) else { return nil }
      body = decoded
    }
    return body
  }

  #if CATENA_CURL
    private static func decoded(
      _ body: Data, coding name: String, _ limit: Int, _ reserve: (Int) -> Bool
    ) -> Data? {
      guard let coding = CatenaCoding(name: name), let decoder = catena_decoder_make(coding) else {
        return nil
      }
      defer { catena_decoder_free(decoder) }
      var output = Data()
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
      defer { buffer.deallocate() }
      let isComplete = body.withUnsafeBytes { bytes in
        var input = bytes.bindMemory(to: UInt8.self).baseAddress
        var size = bytes.count
        while true {
          let before = size
          var space = buffer.bindMemory(to: UInt8.self).baseAddress
          var free = buffer.count
          let state = catena_decoder_run(decoder, &input, &size, &space, &free)
          let count = buffer.count - free
          guard state != .isCorrupt, output.count + count <= limit, reserve(count) else {
            return false
          }
          output.append(contentsOf: buffer[..<count])
          if count == 0, size == before || size == 0 { return size == 0 && state == .isComplete }
        }
      }
      return isComplete ? output : nil
    }
  #elseif canImport(Compression)
    private static func decoded(
      _ body: Data, coding name: String, _ limit: Int, _ reserve: (Int) -> Bool
    ) -> Data? {
      guard name == "gzip" || name == "x-gzip", let start = gzipHeaderSize(body),
        body.count >= start + 8
      else { return nil }
      var content = body.dropFirst(start).dropLast(8)
      var output = Data()
      var checksum = GzipChecksum()
      do {
        let filter = try InputFilter(.decompress, using: .zlib) { count -> Data? in
          defer { content = content.dropFirst(count) }
          return content.isEmpty ? nil : Data(content.prefix(count))
        }
        while let piece = try filter.readData(ofLength: 64 << 10), !piece.isEmpty {
          guard output.count + piece.count <= limit, reserve(piece.count) else { return nil }
          output += piece
          checksum.add(piece)
        }
      } catch {
        return nil
      }
      return Array(body.suffix(8)) == checksum.trailer ? output : nil
    }

    /// Returns the size of the header of a gzip member.
    ///
    /// Source: RFC 1952 section 2.3.
    private static func gzipHeaderSize(_ body: Data) -> Int? {
      let bytes = [UInt8](body.prefix(64 << 10))
      guard bytes.count >= 10, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 else { return nil }
      let flags = bytes[3]
      var size = 10
      if flags & 4 != 0 {
        guard bytes.count >= size + 2 else { return nil }
        size += 2 + Int(bytes[size]) + Int(bytes[size + 1]) << 8
      }
      // The name and the comment end with a zero.
      for flag: UInt8 in [8, 16] where flags & flag != 0 {
        guard size < bytes.count, let end = bytes[size...].firstIndex(of: 0) else { return nil }
        size = end + 1
      }
      if flags & 2 != 0 { size += 2 }
      return size <= bytes.count ? size : nil
    }
  #else
    private static func decoded(
      _ body: Data, coding name: String, _ limit: Int, _ reserve: (Int) -> Bool
    ) -> Data? { nil }
  #endif
}
