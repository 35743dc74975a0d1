#if CATENA_CURL
  package import CCatenaCurl
  import Foundation

  /// A decoder of the content codings of one response body.
  ///
  /// The caller pulls pieces of the decoded body, so it can stop at any piece and continue later. The
  /// decoder never stores more than one piece for each coding.
  ///
  /// Source: RFC 9110 section 8.4.
  final class ContentDecoder {
    /// The reason that a body cannot be decoded, as a sentence without a period.
    struct DecodingError: Error { let reason: String }

    /// A coding, and the bytes that the previous decoder has produced for it.
    private struct Stage {
      let decoder: OpaquePointer
      let buffer: UnsafeMutableRawBufferPointer
      var unread = 0..<0
      var isComplete = false
      /// The number of bytes that the decoder has produced.
      var produced = 0
    }

    /// A result of the decoder.
    struct Piece {
      /// The next bytes of the body; empty if the codings have produced bytes for each other only.
      let data: Data
      /// The number of bytes that all codings have produced for it.
      let work: Int
    }

    /// The maximum number of codings of a body, which bounds the work for each byte.
    private static let maximumCodings = 4
    private static let pieceSize = 32 << 10
    /// The number of bytes of a coding from which on ``maximumRatio`` applies.
    private static let uncheckedSize = 16 << 20
    /// The maximum number of bytes that a coding may produce for each received byte.
    ///
    /// The highest ratio of deflate is 1,032.
    private static let maximumRatio = 1_100
    /// The number of bytes of all codings after which a piece ends.
    private static let maximumWork = 1 << 20

    /// The codings in the order in which they are decoded.
    private var stages: [Stage] = []
    private let output = UnsafeMutableRawBufferPointer.allocate(
      byteCount: pieceSize, alignment: 1)
    private var received = 0
    /// The number of bytes that all codings have produced for the current piece.
    private var work = 0

    /// Makes a decoder for the value of `Content-Encoding`, or returns `nil` if there is nothing to decode.
    ///
    /// That is the case without a coding, and if one of them has an unknown name, such as `utf-8` or
    /// `aws-chunked`. Like browsers, the client then delivers the body as it was received.
    ///
    /// - Parameter names: The names of the codings, in the order in which they were applied, without
    ///   `identity`.
    /// - Throws: The reason that a known coding cannot be decoded.
    init?(_ names: [Substring]) throws(DecodingError) {
      let codings = names.compactMap { CatenaCoding(name: $0) }
      guard !codings.isEmpty, codings.count == names.count else { return nil }
      guard codings.count <= Self.maximumCodings else {
        throw DecodingError(reason: "The body has more than \(Self.maximumCodings) codings")
      }
      for coding in codings.reversed() {
        guard let decoder = catena_decoder_make(coding) else {
          throw DecodingError(reason: "The library for the content coding of the body is missing")
        }
        // The first decoder reads the bytes of the connection.
        let size = stages.isEmpty ? 0 : Self.pieceSize
        stages.append(
          Stage(decoder: decoder, buffer: .allocate(byteCount: size, alignment: 1)))
      }
    }

    deinit {
      output.deallocate()
      for stage in stages {
        catena_decoder_free(stage.decoder)
        stage.buffer.deallocate()
      }
    }

    /// Whether the bytes received so far are a complete body.
    ///
    /// A body without any bytes is complete.
    var isComplete: Bool {
      received == 0 || stages.allSatisfy { $0.isComplete && $0.unread.isEmpty }
    }

    /// Decodes the next piece of the body.
    ///
    /// - Parameter input: The received bytes. The consumed ones are removed from the front.
    /// - Returns: The next piece of the body, or `nil` if more input is needed. `input` is then empty.
    /// - Throws: The reason that the body cannot be decoded.
    func next(_ input: inout UnsafeRawBufferPointer) throws(DecodingError) -> Piece? {
      let size = input.count
      work = 0
      let count = try produce(stages.count - 1, into: output, from: &input)
      received += size - input.count
      for stage in stages
      where stage.produced > Self.uncheckedSize && stage.produced / Self.maximumRatio > received {
        throw DecodingError(
          reason: "The body decodes to more than \(Self.maximumRatio) times its size")
      }
      guard count > 0 || work >= Self.maximumWork else { return nil }
      return Piece(data: Data(output[..<count]), work: work)
    }

    /// Produces bytes of a stage.
    ///
    /// - Returns: The number of bytes, or 0 if more input is needed or ``maximumWork`` is reached.
    private func produce(
      _ index: Int, into output: UnsafeMutableRawBufferPointer,
      from input: inout UnsafeRawBufferPointer
    ) throws(DecodingError) -> Int {
      guard index > 0 else { return try run(0, into: output, from: &input) }
      while true {
        if stages[index].unread.isEmpty {
          let count = try produce(index - 1, into: stages[index].buffer, from: &input)
          stages[index].unread = 0..<count
        }
        let unread = stages[index].unread
        var bytes = UnsafeRawBufferPointer(rebasing: stages[index].buffer[unread])
        let isInputEmpty = bytes.isEmpty
        let count = try run(index, into: output, from: &bytes)
        stages[index].unread = (unread.upperBound - bytes.count)..<unread.upperBound
        if count > 0 || isInputEmpty || work >= Self.maximumWork { return count }
      }
    }

    /// Runs the decoder of a stage until it produces bytes or has consumed all input.
    private func run(
      _ index: Int, into output: UnsafeMutableRawBufferPointer,
      from input: inout UnsafeRawBufferPointer
    ) throws(DecodingError) -> Int {
      var bytes = input.bindMemory(to: UInt8.self).baseAddress
      var space = output.bindMemory(to: UInt8.self).baseAddress
      var (size, free) = (input.count, output.count)
      var hasProgress = true
      while hasProgress, free == output.count {
        let before = size
        let state = catena_decoder_run(stages[index].decoder, &bytes, &size, &space, &free)
        guard state != .isCorrupt else {
          throw DecodingError(reason: "The body is not valid in its content coding")
        }
        stages[index].isComplete = state == .isComplete
        hasProgress = size < before
      }
      input = UnsafeRawBufferPointer(rebasing: input[(input.count - size)...])
      stages[index].produced += output.count - free
      work += output.count - free
      return output.count - free
    }
  }

  extension CatenaCoding {
    /// Makes a coding from its name in `Content-Encoding`, in lower case.
    package init?(name: some StringProtocol) {
      switch name {
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      case "br": self = .brotli
      case "zstd": self = .zstd
      default: return nil
      }
    }
  }

  extension HTTPHeaders {
    /// The `Accept-Encoding` field of requests without one: the codings whose libraries are
    /// available.
    static let acceptedCodings: Field = {
      let available = ["gzip", "deflate", "br", "zstd"].filter { name in
        CatenaCoding(name: name).map { catena_decoder_is_available($0) } == true
      }
      return Field(name: "Accept-Encoding", value: available.joined(separator: ", "))
    }()

    /// The `Accept-Encoding` field of requests for a part of a body.
    static let noCodings = Field(name: "Accept-Encoding", value: "identity")

    /// The content codings of a body in the order in which they were applied, without `identity`.
    var contentCodings: [Substring] {
      // As bytes, because a combining character would change the comma or the space before it.
      let names: [Substring] = values(for: "Content-Encoding").flatMap { value in
        value.lowercased().utf8.split(separator: UInt8(ascii: ",")).map { name in
          Substring(name.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 })
        }
      }
      return names.filter { !$0.isEmpty && $0 != "identity" }
    }
  }
#endif
