import Foundation

extension HAR {
  /// Writes the archive.
  ///
  /// The file is written whole or not at all: what was there before stays until all of the new one is on
  /// the disk. Its mode is 0600 from its first byte on. The order of the members is always the same, one
  /// a line, so that two archives of the same exchanges differ where they do.
  ///
  /// Nothing is redacted here; a ``Tape`` does that.
  ///
  /// - Parameter file: where to; its folder is made if it is not there.
  /// - Throws: ``RecordingError/unwritable(file:reason:)``.
  public func write(to file: URL) throws(RecordingError) {
    try ArchiveFile.write(try data(file), to: file)
  }

  private func data(_ file: URL) throws(RecordingError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self) + Data("\n".utf8)
    } catch {
      // A number that is not finite is all that can be wrong.
      throw .unwritable(file: file, reason: "a time in it is not a number")
    }
  }
}
