import Foundation

@testable import Networking
@testable import NetworkingStreams

extension FuzzTarget {
  /// The framing of lines of JSON, and of JSON text sequences.
  ///
  /// The input is the body.
  static let jsonSequences = FuzzTarget("json-sequences") { input in
    let lines = input.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for isSequence in [false, true] {
      let records = SequenceReader.read(lines, isSequence)
      expect(records.allSatisfy { !$0.text.isEmpty }, "no record is empty")
      expect(
        records.reduce(0) { $0 + $1.text.count } <= input.bytes.count + records.count + lines.count,
        "records are parts of the body")
      guard isSequence || input.bytes.first == 0x1E else { continue }
      expect(records.allSatisfy { !$0.text.contains(0x1E) }, "no record contains its separator")
      // Complete records that are written again are the same.
      let complete = records.filter { !$0.isTruncated }
      let written: [UInt8] = complete.flatMap { [0x1E as UInt8] + Array($0.text) + [0x0A as UInt8] }
      let again = SequenceReader.read(
        written.split(separator: 0x0A, omittingEmptySubsequences: false), true)
      expect(
        again.count == complete.count
          && zip(again, complete).allSatisfy { $0.trimmed == $1.trimmed && !$0.isTruncated },
        "records that are written again are equal: \(String(decoding: written, as: UTF8.self).debugDescription)"
      )
    }
    Growth.checkLinear(input) { bytes in
      _ = SequenceReader.read(
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false), true)
    }
  }
}

extension JSONRecordFramer.Record {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// A driver of the framing.
private enum SequenceReader {
  static func read(
    _ lines: [ArraySlice<UInt8>], _ isSequence: Bool
  ) -> [JSONRecordFramer.Record] {
    var framer = JSONRecordFramer(limit: 1 << 20)
    framer.isSequence = isSequence
    var records: [JSONRecordFramer.Record] = []
    do throws(LineSplitter.LineTooLong) {
      for line in lines {
        framer.append(Data(line))
        while let record = try framer.next() { records.append(record) }
      }
    } catch {
      fatalError("violated: no input exceeds the limit")
    }
    if let last = framer.finish() { records.append(last) }
    return records
  }
}
