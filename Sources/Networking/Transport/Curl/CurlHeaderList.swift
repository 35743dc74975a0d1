#if CATENA_CURL
  import CCatenaCurl
  import CatenaSystem

  /// The header fields of a request in libcurl's format: a linked list of lines.
  ///
  /// The list is stored in one block of memory, which is reused for the next request.
  struct CurlHeaderList {
    private typealias Node = CatenaList

    private var memory: UnsafeMutableRawBufferPointer?

    /// Deallocates the memory.
    func deallocate() { memory?.deallocate() }

    /// Makes the list.
    ///
    /// - Parameters:
    ///   - headers: The header fields. `Content-Length` and `Transfer-Encoding` are omitted.
    ///   - added: A field that is added unless `headers` contains it.
    ///   - suppressed: The names of fields that libcurl adds by default and that are suppressed
    ///     unless `headers` contains them.
    /// - Returns: The list, valid until the next call, or `nil` if it is empty.
    /// - Throws: A failure with the code `invalidHeader` if a name is not a token, or a value
    ///   contains CR, LF or NUL.
    mutating func make(
      _ headers: HTTPHeaders, adding added: HTTPHeaders.Field, suppressed: [String]
    ) throws(TransportFailure) -> UnsafeMutablePointer<CatenaList>? {
      let count = headers.count + 1 + suppressed.count
      var size = count * MemoryLayout<Node>.stride
      // Space for a colon, a space and the NUL at the end, or for a semicolon and NUL.
      size += added.name.utf8.count + added.value.utf8.count + 3
      for field in headers { size += field.name.utf8.count + field.value.utf8.count + 3 }
      for name in suppressed { size += name.utf8.count + 2 }
      let memory = reserve(size)
      var writer = Writer(memory, nodes: count)
      for field in headers where !HTTPHeaders.isFramingField(field.name) {
        guard field.isSendable else {
          throw TransportFailure(
            code: .invalidHeader, detail: "A header field has an invalid name or value")
        }
        writer.add(field)
      }
      if !headers.contains(added.name) { writer.add(added) }
      for name in suppressed where !headers.contains(name) { writer.add(suppressed: name) }
      return writer.first
    }

    private mutating func reserve(_ size: Int) -> UnsafeMutableRawBufferPointer {
      if let memory, memory.count >= size { return memory }
      memory?.deallocate()
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(size, 384), alignment: MemoryLayout<Node>.alignment)
      self.memory = memory
      return memory
    }

    /// A writer that fills the memory with the nodes, followed by their lines.
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

      /// Adds `Name: value`, or `Name;` for an empty value, which libcurl sends as `Name:`.
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

      /// Adds `Name:`, which prevents libcurl from sending its default field.
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
#endif
