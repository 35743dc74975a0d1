#if os(Linux)
  import Foundation
  import Glibc

  /// The body of a request as libcurl reads it, a piece at a time.
  final class CurlUpload {
    private enum Source {
      case data(Data)
      case file(descriptor: Int32)
    }

    /// A stretch of the body, and where in it that begins.
    private struct Stretch {
      let source: Source
      let start: Int64
      let length: Int64

      var end: Int64 { start + length }
    }

    /// Why a body cannot be read.
    struct Unreadable: Error {
      let reason: String
    }

    /// How many bytes there are.
    private(set) var length: Int64 = 0
    private var stretches: [Stretch] = []
    private var offset: Int64 = 0
    /// Set when reading fails.
    private(set) var failure: String?

    /// Opens what a body consists of; the length of a file now is the length sent.
    init(_ pieces: [BodyPiece]) throws(Unreadable) {
      for piece in pieces {
        switch piece {
        case .data(let data): append(.data(data), length: Int64(data.count))
        case .file(let url): try open(url)
        }
      }
    }

    deinit {
      for stretch in stretches {
        if case .file(let descriptor) = stretch.source { close(descriptor) }
      }
    }

    private func append(_ source: Source, length: Int64) {
      stretches.append(Stretch(source: source, start: self.length, length: length))
      self.length += length
    }

    private func open(_ file: URL) throws(Unreadable) {
      guard file.isFileURL else { throw Unreadable(reason: "its URL is not a file's") }
      let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Unreadable(reason: Self.reason()) }
      var status = stat()
      let isKnown = fstat(descriptor, &status) == 0
      // Kept first, so that it is closed whatever comes of it.
      append(.file(descriptor: descriptor), length: isKnown ? Int64(status.st_size) : 0)
      guard isKnown else { throw Unreadable(reason: Self.reason()) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw Unreadable(reason: "it is no file") }
    }

    /// The next bytes into a buffer.
    ///
    /// - Returns: how many; nil when they cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      guard let stretch = stretches.first(where: { $0.end > offset }) else { return 0 }
      let wanted = min(Int64(buffer.count), stretch.end - offset)
      let place = offset - stretch.start
      let count: Int
      switch stretch.source {
      case .data(let data):
        count = Int(wanted)
        let start = data.startIndex + Int(place)
        data.copyBytes(to: buffer, from: start..<(start + count))
      case .file(let descriptor):
        count = pread(descriptor, buffer.baseAddress, Int(wanted), off_t(place))
        if count <= 0 {
          failure = count == 0 ? "it became shorter while it was sent" : Self.reason()
          return nil
        }
      }
      offset += Int64(count)
      return count
    }

    /// Goes to a place, for a body that has to be sent again.
    func seek(to offset: Int64) -> Bool {
      guard (0...length).contains(offset) else { return false }
      self.offset = offset
      return true
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
  }
#endif
