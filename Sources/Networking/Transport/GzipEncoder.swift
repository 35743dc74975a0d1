package import Foundation

#if CATENA_CURL
  import CCatenaCurl
#elseif canImport(Compression)
  import Compression
#endif

/// An encoder of the content coding gzip, over zlib on Linux and over Compression on Apple platforms.
///
/// Without either library the initializer fails.
///
/// The result for the same bytes is always the same.
///
/// Source: RFC 1952.
final class GzipEncoder {
  #if CATENA_CURL
    private let encoder: OpaquePointer
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)

    /// Makes an encoder.
    ///
    /// - Throws: A failure if memory is exhausted.
    init() throws(TransportFailure) {
      guard let encoder = catena_encoder_make() else { throw .notCompressed }
      self.encoder = encoder
    }

    deinit {
      catena_encoder_free(encoder)
      buffer.deallocate()
    }

    /// Encodes the next bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - isLast: Whether no bytes follow.
    /// - Returns: The bytes that the encoder has produced so far, possibly none.
    /// - Throws: A failure if the encoder cannot continue.
    func encode(_ data: Data, isLast: Bool) throws(TransportFailure) -> Data {
      let output = data.withUnsafeBytes { encoded($0, isLast: isLast) }
      guard let output else { throw .notCompressed }
      return output
    }

    /// `withUnsafeBytes` would have four copies of the loop.
    @inline(never)
    private func encoded(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Data? {
      var (output, input) = (Data(), bytes.bindMemory(to: UInt8.self).baseAddress)
      var size = bytes.count
      while true {
        var space = buffer.bindMemory(to: UInt8.self).baseAddress
        var free = buffer.count
        let state = catena_encoder_run(encoder, &input, &size, &space, &free, isLast)
        output.append(contentsOf: buffer[..<(buffer.count - free)])
        switch state {
        case .isComplete: return output
        case .hasFailed: return nil
        // With space left, the encoder has consumed the input.
        case .continues: if free > 0 { return !isLast && size == 0 ? output : nil }
        }
      }
    }
  #elseif canImport(Compression)
    /// The output of the filter, which its closure writes to.
    private final class Output {
      // The header: deflate, no flags, no time, an unknown system.
      var bytes = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    }

    private let output: Output
    private let filter: OutputFilter
    private var checksum = GzipChecksum()

    /// Makes an encoder.
    ///
    /// - Throws: A failure if memory is exhausted.
    init() throws(TransportFailure) {
      let output = Output()
      self.output = output
      do {
        filter = try OutputFilter(.compress, using: .zlib) { data in
          if let data { output.bytes += data }
        }
      } catch {
        throw .notCompressed
      }
    }

    /// Encodes the next bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - isLast: Whether no bytes follow.
    /// - Returns: The bytes that the encoder has produced so far, possibly none.
    /// - Throws: A failure if the encoder cannot continue.
    func encode(_ data: Data, isLast: Bool) throws(TransportFailure) -> Data {
      do {
        checksum.add(data)
        // Writing no bytes would end the stream.
        if !data.isEmpty { try filter.write(data) }
        if isLast {
          try filter.finalize()
          output.bytes += checksum.trailer
        }
      } catch {
        throw .notCompressed
      }
      defer { output.bytes = Data() }
      return output.bytes
    }
  #else
    /// - Throws: A failure with the code `unsupported`.
    init() throws(TransportFailure) {
      throw TransportFailure(
        code: .unsupported, detail: "Bodies are not compressed in a build without libcurl")
    }

    func encode(_ data: Data, isLast: Bool) throws(TransportFailure) -> Data { Data() }
  #endif

  /// Encodes bytes in memory.
  ///
  /// - Parameter pieces: The bytes in order.
  /// - Returns: The compressed bytes.
  /// - Throws: A failure if the encoder cannot continue, or if the task is cancelled.
  static func encode(_ pieces: [Data]) throws(TransportFailure) -> Data {
    let encoder = try GzipEncoder()
    var output = Data()
    for piece in pieces {
      var rest = piece[...]
      while !rest.isEmpty {
        guard !Task.isCancelled else { throw TransportFailure(code: .cancelled) }
        output += try encoder.encode(rest.prefix(1 << 20), isLast: false)
        rest = rest.dropFirst(1 << 20)
      }
    }
    return output + (try encoder.encode(Data(), isLast: true))
  }
}

/// The CRC-32 and the size of bytes, which end a gzip member.
///
/// Source: RFC 1952 sections 2.3.1 and 8.
package struct GzipChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  private var remainder: UInt32 = 0xFFFF_FFFF
  private var size: UInt32 = 0

  /// Makes the checksum of no bytes.
  package init() {}

  /// Adds bytes.
  package mutating func add(_ data: Data) {
    var remainder = remainder
    Self.table.withUnsafeBufferPointer { table in
      for byte in data {
        remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
      }
    }
    self.remainder = remainder
    size &+= UInt32(truncatingIfNeeded: data.count)
  }

  /// The CRC-32 and the size, in little-endian order.
  package var trailer: [UInt8] {
    [~remainder, size].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }
}

extension TransportFailure {
  fileprivate static var notCompressed: TransportFailure {
    TransportFailure(code: .encodingFailed, detail: "The body cannot be compressed")
  }
}

// MARK: - Streams

extension HTTPBody {
  /// The body in the coding gzip, as a stream.
  ///
  /// The original body is read and compressed in pieces while the stream is read.
  var compressedStream: BodyStream {
    BodyStream(length: nil, isRepeatable: isRepeatable) {
      let reader = try BodyReader(self)
      // `nonisolated(unsafe)` because the access is protected by its owner: only the task that sends the
      // body uses it.
      nonisolated(unsafe) let encoder = try GzipEncoder()
      // `nonisolated(unsafe)` because the access is protected by its owner: only the task that sends the
      // body uses it.
      nonisolated(unsafe) var isAtEnd = false
      return AsyncThrowingStream(unfolding: {
        while !isAtEnd {
          let piece = try await reader.next()
          isAtEnd = piece == nil
          let output = try encoder.encode(piece ?? Data(), isLast: isAtEnd)
          if !output.isEmpty { return output }
        }
        return nil
      })
    }
  }
}
