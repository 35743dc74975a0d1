#if os(Linux) || os(macOS)
  import Foundation

  /// A response as the grammar of HTTP/1.1 reads it, for a connection that is closed after its bytes.
  ///
  /// The reader is a model of the clients under test. It is strict, and names the deviations that a
  /// client may tolerate or reject.
  ///
  /// Source: RFC 9112 sections 4 to 7.
  struct ReadResponse {
    enum End: Equatable {
      case complete
      /// The bytes end before the response is complete.
      case truncated
      case malformed(String)
    }

    struct Field {
      let name: String
      let value: Data
    }

    fileprivate(set) var end = End.truncated
    fileprivate(set) var status = 0
    fileprivate(set) var fields: [Field] = []
    fileprivate(set) var body = Data()
    /// The number of bytes after the response.
    fileprivate(set) var excess = 0
    /// Whether the head is complete.
    fileprivate(set) var hasHead = false
    /// Whether a chunked body has a trailer, valid or not.
    fileprivate(set) var hasTrailer = false
    /// Whether the end of the connection is the end of the body.
    fileprivate(set) var endsWithConnection = false
    /// The reasons for which a client may reject the response, or read it as it is here.
    fileprivate(set) var deviations: [String] = []

    /// The values of a field, decoded as ISO-8859-1.
    func values(_ name: String) -> [String] {
      fields.filter { $0.name.lowercased() == name.lowercased() }.map { $0.value.latin1 }
    }

    /// Reads the response to a request with a method.
    init(_ bytes: Data, to method: String) {
      var reader = Reader(bytes: Array(bytes))
      do {
        try reader.read(&self, method)
        end = .complete
        excess = bytes.count - reader.position
      } catch let problem as Reader.Problem {
        end = problem.end
      } catch {
        end = .malformed("\(error)")
      }
    }
  }

  private struct Reader {
    struct Problem: Error {
      let end: ReadResponse.End

      static let truncated = Problem(end: .truncated)
      static func malformed(_ reason: String) -> Problem { Problem(end: .malformed(reason)) }
    }

    let bytes: [UInt8]
    private(set) var position = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func read(_ response: inout ReadResponse, _ method: String) throws {
      repeat {
        response.status = 0
        response.fields = []
        try readStatusLine(&response)
        while try readField(&response) {}
        if response.status < 200 {
          guard response.status != 101 else { throw Problem.malformed("101") }
          if !response.values("Content-Length").isEmpty
            || !response.values("Transfer-Encoding").isEmpty
          {
            response.deviations.append("an interim response with framing fields")
          }
        }
      } while response.status < 200
      response.hasHead = true
      try readBody(&response, method)
    }

    // MARK: Head

    /// Returns the next line without its end.
    private mutating func nextLine(_ response: inout ReadResponse) throws -> ArraySlice<UInt8> {
      guard let end = bytes[position...].firstIndex(of: 0x0A) else { throw Problem.truncated }
      var line = bytes[position..<end]
      position = end + 1
      if line.last == 0x0D {
        line = line.dropLast()
      } else {
        response.deviations.append("a bare LF")
      }
      if line.last == 0x0D {
        response.deviations.append("several CRs")
        while line.last == 0x0D { line = line.dropLast() }
      }
      return line
    }

    private mutating func readStatusLine(_ response: inout ReadResponse) throws {
      let prefix = Array("HTTP/".utf8)
      let start = bytes[position...].prefix(prefix.count)
      guard prefix.starts(with: start) else { throw Problem.malformed("no HTTP") }
      let line = try nextLine(&response)
      guard !line.contains(0) else { throw Problem.malformed("a NUL") }
      let text = Data(line).latin1
      let pattern = /HTTP\/([0-9.]+)\s+([0-9]{3})(.*)/
        .dotMatchesNewlines().matchingSemantics(.unicodeScalar)
      guard let match = text.wholeMatch(of: pattern) else {
        throw Problem.malformed("the status line \(text)")
      }
      let (version, status, rest) = (match.1, Int(match.2) ?? 0, match.3)
      guard status >= 100 else { throw Problem.malformed("the status \(status)") }
      response.status = status
      let isStrict =
        ["1.0", "1.1"].contains(version) && line.dropFirst(8).first == 0x20
        && line.dropFirst(9).first != 0x20 && rest.first == " "
        && !line.contains(where: \.isControl)
      if !isStrict { response.deviations.append("the status line") }
      if version == "1.0" { response.endsWithConnection = true }
    }

    /// Reads a field.
    ///
    /// - Returns: `false` for the line that ends the head.
    private mutating func readField(_ response: inout ReadResponse) throws -> Bool {
      let line: ArraySlice<UInt8>
      do {
        line = try nextLine(&response)
      } catch {
        // A client may reject the complete lines before it waits for the rest.
        if !bytes[position...].isEmpty, bytes[position...].contains(where: \.isControl) {
          response.deviations.append("a control character in a line without an end")
        }
        if (try? framing(of: response)) == nil { response.deviations.append("the framing") }
        throw error
      }
      guard let first = line.first else { return false }
      guard !line.contains(0) else { throw Problem.malformed("a NUL") }
      guard !line.contains(0x0D) else { throw Problem.malformed("a bare CR") }
      if first.isBlank {
        guard let last = response.fields.popLast() else { throw Problem.malformed("a first fold") }
        response.deviations.append("a fold")
        let value = last.value + Data([0x20]) + Data(line).trimmed
        response.fields.append(.init(name: last.name, value: value.trimmed))
        return true
      }
      guard let colon = line.firstIndex(of: 0x3A) else { throw Problem.malformed("no colon") }
      let name = line[..<colon]
      if name.isEmpty || !name.allSatisfy(\.isToken) { response.deviations.append("a name") }
      let value = Data(line[(colon + 1)...]).trimmed
      if value.contains(where: \.isControl) { response.deviations.append("a control character") }
      response.fields.append(.init(name: Data(name).trimmed.latin1, value: value))
      return true
    }

    // MARK: Body

    private enum Framing: Equatable {
      case chunked
      case length(Int)
      case connection
    }

    private func framing(of response: ReadResponse) throws -> Framing {
      let codings = response.values("Transfer-Encoding")
      if !codings.isEmpty {
        guard codings == codings.filter({ $0.lowercased() == "chunked" }) else {
          throw Problem.malformed("the transfer coding")
        }
        return .chunked
      }
      let lengths = response.values("Content-Length").flatMap {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      guard !lengths.isEmpty else { return .connection }
      let numbers = lengths.map { text -> Int? in
        let digits = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(digits) : nil
      }
      guard let number = numbers[0], numbers.allSatisfy({ $0 == number }) else {
        throw Problem.malformed("the length")
      }
      return .length(number)
    }

    private mutating func readBody(_ response: inout ReadResponse, _ method: String) throws {
      let codings = response.values("Transfer-Encoding")
      let lengths = response.values("Content-Length")
      if method == "HEAD" || response.status == 204 || response.status == 304 {
        let isValid = codings.isEmpty && (try? framing(of: response)) != nil
        if !isValid { response.deviations.append("framing fields without a body") }
        return
      }
      if !codings.isEmpty, !lengths.isEmpty || codings.count > 1 || response.endsWithConnection {
        response.deviations.append("chunks and a length, or twice, or in HTTP/1.0")
      }
      switch try framing(of: response) {
      case .connection:
        response.endsWithConnection = true
        response.body = Data(bytes[position...])
        position = bytes.count
      case .length(let count):
        response.body = Data(bytes[position...].prefix(count))
        position += response.body.count
        if response.body.count < count { throw Problem.truncated }
      case .chunked: try readChunks(&response)
      }
    }

    private mutating func readChunks(_ response: inout ReadResponse) throws {
      while true {
        let digits = bytes[position...].prefix { $0.isHexDigit }
        guard !digits.isEmpty else {
          throw position < bytes.count ? Problem.malformed("a chunk size") : Problem.truncated
        }
        guard digits.count <= 16 else { throw Problem.malformed("a long chunk size") }
        let line = try nextLine(&response)
        let rest = line.dropFirst(digits.count).drop { $0.isBlank }
        if digits.count < line.count, rest.first != 0x3B || line.contains(where: \.isControl) {
          response.deviations.append("a chunk extension")
        }
        guard let size = Int(Data(digits).latin1, radix: 16) else {
          throw Problem.malformed("a large chunk size")
        }
        if size == 0 { return try readTrailer(&response) }
        let data = bytes[position...].prefix(size)
        response.body += data
        position += data.count
        guard data.count == size else { throw Problem.truncated }
        try readChunkEnd(&response)
      }
    }

    private mutating func readChunkEnd(_ response: inout ReadResponse) throws {
      guard position < bytes.count else { throw Problem.truncated }
      if bytes[position] == 0x0D {
        position += 1
        guard position < bytes.count else { throw Problem.truncated }
      } else {
        response.deviations.append("a bare LF")
      }
      guard bytes[position] == 0x0A else { throw Problem.malformed("the end of a chunk") }
      position += 1
    }

    private mutating func readTrailer(_ response: inout ReadResponse) throws {
      while true {
        if position < bytes.count, bytes[position] != 0x0D, bytes[position] != 0x0A {
          response.hasTrailer = true
        }
        let line = try nextLine(&response)
        guard !line.isEmpty else { return }
        response.hasTrailer = true
        let colon = line.firstIndex(of: 0x3A) ?? line.startIndex
        if colon == line.startIndex || !line[..<colon].allSatisfy(\.isToken)
          || line.contains(where: \.isControl)
        {
          response.deviations.append("a trailer")
        }
      }
    }
  }

  extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
    fileprivate var isHexDigit: Bool {
      (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }

    /// Whether the byte is a `tchar` of RFC 9110 section 5.6.2.
    fileprivate var isToken: Bool {
      self > 0x20 && self < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(self)
    }
  }

  extension Data {
    fileprivate var trimmed: Data {
      Data(Data(drop { $0.isBlank }).reversed().drop { $0.isBlank }.reversed())
    }

    var latin1: String { String(String.UnicodeScalarView(map { Unicode.Scalar($0) })) }
  }
#endif
