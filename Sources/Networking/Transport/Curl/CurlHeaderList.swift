#if os(Linux)
  import CCatena
  import Glibc

  /// The header fields of a request as libcurl takes them: a linked list of lines, in one piece of
  /// memory that is used again for the next request.
  struct CurlHeaderList {
    private typealias Node = CatenaList

    private var memory: UnsafeMutableRawBufferPointer?

    /// Gives the memory back.
    func deallocate() {
      memory?.deallocate()
    }

    /// Makes the list.
    ///
    /// - Parameters:
    ///   - headers: the fields; `Content-Length` and `Transfer-Encoding` are left out.
    ///   - suppressed: fields that libcurl would add, and must not unless they are among `headers`.
    /// - Returns: the list, good until the next call; nil when it is empty.
    /// - Throws: `invalidHeader` when a name is no token, or a CR, LF or NUL is in a value.
    mutating func make(
      _ headers: HTTPHeaders, suppressed: [String]
    ) throws(TransportFailure) -> UnsafeMutablePointer<CatenaList>? {
      let count = headers.count + suppressed.count
      var size = count * MemoryLayout<Node>.stride
      // A colon, a space and the closing NUL; or a semicolon and NUL.
      for field in headers { size += field.name.utf8.count + field.value.utf8.count + 3 }
      for name in suppressed { size += name.utf8.count + 2 }
      let memory = reserve(size)
      var writer = Writer(memory, nodes: count)
      for field in headers where !Self.isFramingField(field.name) {
        guard field.name.isToken, !field.value.utf8.contains(where: { $0.breaksField }) else {
          throw TransportFailure(code: .invalidHeader, detail: "A header field cannot be sent")
        }
        writer.add(field)
      }
      for name in suppressed where !headers.contains(name) { writer.add(suppressed: name) }
      return writer.first
    }

    private mutating func reserve(_ size: Int) -> UnsafeMutableRawBufferPointer {
      if let memory, memory.count >= size { return memory }
      memory?.deallocate()
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(size, 1_024), alignment: MemoryLayout<Node>.alignment)
      self.memory = memory
      return memory
    }

    /// Whether a field is the transport's own business.
    private static func isFramingField(_ name: String) -> Bool {
      HTTPHeaders.areNamesEqual(name, "Content-Length")
        || HTTPHeaders.areNamesEqual(name, "Transfer-Encoding")
    }

    /// Fills the memory: nodes at its start, their lines behind.
    private struct Writer {
      private let nodes: UnsafeMutablePointer<Node>
      private var count = 0
      private var next: UnsafeMutablePointer<CChar>

      init(_ memory: UnsafeMutableRawBufferPointer, nodes count: Int) {
        let start = memory.baseAddress.unsafelyUnwrapped
        nodes = start.bindMemory(to: Node.self, capacity: count)
        let lines = count * MemoryLayout<Node>.stride
        next = (start + lines).bindMemory(to: CChar.self, capacity: memory.count - lines)
      }

      var first: UnsafeMutablePointer<CatenaList>? { count == 0 ? nil : nodes }

      /// `Name: value`, or `Name;`, which libcurl sends as `Name:`.
      mutating func add(_ field: HTTPHeaders.Field) {
        beginLine()
        append(field.name)
        if field.value.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
          append(UInt8(ascii: ";"))
        } else {
          append(UInt8(ascii: ":"))
          append(UInt8(ascii: " "))
          append(field.value)
        }
        append(0)
      }

      /// `Name:`, which keeps libcurl from sending it.
      mutating func add(suppressed name: String) {
        beginLine()
        append(name)
        append(UInt8(ascii: ":"))
        append(0)
      }

      private mutating func beginLine() {
        if count > 0 { nodes[count - 1].next = nodes + count }
        (nodes + count).initialize(to: Node(data: next, next: nil))
        count += 1
      }

      private mutating func append(_ byte: UInt8) {
        next.pointee = CChar(bitPattern: byte)
        next += 1
      }

      private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
          guard let start = bytes.baseAddress else { return }
          memcpy(next, start, bytes.count)
          next += bytes.count
        }
      }
    }
  }

  extension UInt8 {
    fileprivate var breaksField: Bool {
      self == 0 || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n")
    }
  }
#endif
