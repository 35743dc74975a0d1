import Networking

/// An incremental decoder of the chunked transfer coding.
///
/// Source: RFC 9112 section 7.1.
struct ChunkedDecoder {
  private enum State {
    case size
    case data(remaining: Int)
    case dataEnd
    case trailers
    case done
  }

  private var state = State.size
  private var trailerBytes = 0
  private(set) var trailers: [HTTPHeaders.Field] = []
  private let limits: MockServerLimits

  init(limits: MockServerLimits) {
    self.limits = limits
  }

  /// Decodes the available bytes and removes them from `input`.
  ///
  /// - Parameters:
  ///   - input: The buffer.
  ///   - emit: Called with each piece of the body in order.
  /// - Returns: Whether the end of the body has been decoded, including the trailers.
  /// - Throws: ``HTTPParseError`` if the coding is malformed or the trailers are too large, or the
  ///   error that `emit` throws.
  mutating func decode(
    _ input: inout InputBuffer,
    _ emit: (ArraySlice<UInt8>) throws(HTTPParseError) -> Void
  ) throws(HTTPParseError) -> Bool {
    while true {
      switch state {
      case .size:
        guard let line = try line(&input, limit: Self.sizeLineBytes, 400) else { return false }
        let size = try Self.size(line)
        state = size == 0 ? .trailers : .data(remaining: size)
      case .data(let remaining):
        let piece = input.prefix(remaining)
        guard !piece.isEmpty else { return false }
        try emit(piece)
        input.skip(piece.count)
        state = piece.count == remaining ? .dataEnd : .data(remaining: remaining - piece.count)
      case .dataEnd:
        guard let line = try line(&input, limit: 2, 400) else { return false }
        guard line.isEmpty else { throw Self.malformed }
        state = .size
      case .trailers:
        guard let line = try line(&input, limit: limits.headBytes - trailerBytes, 431) else {
          return false
        }
        if line.isEmpty { state = .done } else { try takeTrailer(line) }
      case .done:
        return true
      }
    }
  }

  private func line(
    _ input: inout InputBuffer, limit: Int, _ status: Int
  ) throws(HTTPParseError) -> ArraySlice<UInt8>? {
    try input.takeLine(
      limit: limit,
      orThrow: status == 400 ? Self.malformed : HTTPParseError(status, "the trailers are too large")
    )
  }

  private mutating func takeTrailer(_ line: ArraySlice<UInt8>) throws(HTTPParseError) {
    guard trailers.count < limits.headerCount else {
      throw HTTPParseError(431, "more than \(limits.headerCount) trailers")
    }
    trailerBytes += line.count + 2
    trailers.append(try FieldLine.parse(line))
  }

  /// Parses the size of a chunk and ignores extensions after it.
  ///
  /// A control character in an extension is an error. A server that ends the line at a bare CR would
  /// read another request than this one.
  private static func size(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    let rest = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
    guard rest.isEmpty || rest.first == UInt8(ascii: ";"), (1...15).contains(digits.count),
      rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    else { throw malformed }
    var size = 0
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { throw malformed }
      size = size << 4 | value
    }
    return size
  }

  private static let sizeLineBytes = 4096
  private static let malformed = HTTPParseError(400, "the chunked coding is malformed")
}
