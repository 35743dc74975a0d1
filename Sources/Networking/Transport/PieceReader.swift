import Foundation

/// Reads what is there already: bytes in memory, and files, one behind the other.
///
/// The files stay open until it is released; where one has got to is up to whoever reads.
final class PieceReader: Sendable {
  private enum Source: Sendable {
    case data(Data)
    case file(descriptor: Int32)
  }

  /// A stretch of the body, and where in it that begins.
  private struct Stretch: Sendable {
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
  let length: Int64
  private let stretches: [Stretch]

  /// Opens what a body consists of; the length of a file now is the length sent.
  init(_ pieces: [BodyPiece]) throws(Unreadable) {
    var stretches: [Stretch] = []
    do throws(Unreadable) {
      for piece in pieces {
        let start = stretches.last?.end ?? 0
        switch piece {
        case .data(let data):
          stretches.append(
            Stretch(source: .data(data), start: start, length: Int64(data.count)))
        case .file(let url):
          let (descriptor, length) = try Self.open(url)
          stretches.append(
            Stretch(source: .file(descriptor: descriptor), start: start, length: length))
        }
      }
    } catch {
      Self.close(stretches)
      throw error
    }
    self.stretches = stretches
    length = stretches.last?.end ?? 0
  }

  deinit {
    Self.close(stretches)
  }

  private static func close(_ stretches: [Stretch]) {
    for stretch in stretches {
      if case .file(let descriptor) = stretch.source { Foundation.close(descriptor) }
    }
  }

  private static func open(_ file: URL) throws(Unreadable) -> (descriptor: Int32, length: Int64) {
    guard file.isFileURL else { throw Unreadable(reason: "its URL is not a file's") }
    let descriptor = Foundation.open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(reason: reason()) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      throw Unreadable(reason: "it is no file")
    }
    return (descriptor, Int64(status.st_size))
  }

  /// The bytes from a place on into a buffer.
  ///
  /// - Returns: how many; 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Unreadable) -> Int {
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
      if count == 0 { throw Unreadable(reason: "it became shorter while it was sent") }
      if count < 0 { throw Unreadable(reason: Self.reason()) }
    }
    return count
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
