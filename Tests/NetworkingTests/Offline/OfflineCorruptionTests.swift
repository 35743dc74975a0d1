import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Corrupt files and foreign files in the store.
@Suite(.gated)
struct OfflineCorruptionTests {
  private let temporary = TemporaryStore()
  private let store: OfflineStore

  init() throws {
    store = try temporary.open()
    for name in ["1", "2", "3"] {
      let payload = try temporary.file(name, Data("payload \(name)".utf8))
      try store.add(.upload(file: payload, to: "https://a.test/\(name)"))
    }
  }

  /// Replays and expects that the first and the last entry are delivered and the second is
  /// quarantined.
  private func expectSecondEntryIsQuarantined(
    _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    // A second store has no cached state, like another process.
    let store = try temporary.open()
    #expect(try store.entries.count <= 3, sourceLocation: sourceLocation)
    let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.delivered.map(\.number) == [1, 3], sourceLocation: sourceLocation)
    #expect(report.quarantined.map(\.reason) == [reason], sourceLocation: sourceLocation)
    #expect(
      try store.quarantined.map(\.path) == report.quarantined.map(\.location.path),
      sourceLocation: sourceLocation)
    #expect(try store.count == 0, sourceLocation: sourceLocation)
    try store.emptyQuarantine()
    #expect(try store.quarantined.isEmpty, sourceLocation: sourceLocation)
  }

  private func change(_ path: String, _ change: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    change(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  @Test func anEmptyFileIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { $0 = Data() }
    try await expectSecondEntryIsQuarantined("the entry file is empty")
  }

  @Test func aTruncatedFileIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { $0.removeLast() }
    try await expectSecondEntryIsQuarantined("the length does not match")
  }

  @Test func aChangedByteIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { $0[$0.count - 30] ^= 1 }
    try await expectSecondEntryIsQuarantined("the checksum does not match")
  }

  /// Replaces a text in the JSON of the second entry, with a valid length and checksum.
  private func forgeSecondEntry(_ pattern: some RegexComponent, _ replacement: String) throws {
    try change(temporary.entryFile(1)) { data in
      let json = String(decoding: data.drop { $0 != UInt8(ascii: "\n") }.dropFirst(), as: UTF8.self)
      let forged = json.replacing(pattern, with: replacement)
      #expect(forged != json)
      let checksum = forged.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
      }
      let digits = String(checksum, radix: 16)
      let zeros = String(repeating: "0", count: 16 - digits.count)
      data = Data("Catena-Offline/1 \(forged.utf8.count) \(zeros)\(digits)\n\(forged)".utf8)
    }
  }

  @Test func aFileWithAnEmptyBodyIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { $0 = Data("Catena-Offline/1 0 cbf29ce484222325\n".utf8) }
    #expect(try temporary.open().entries.map(\.number) == [1, 3])
  }

  @Test(arguments: [Int64.max, .max - 1, 1 << 61, -1, .min])
  func aFileWithAnImpossibleLengthIsQuarantined(_ length: Int64) async throws {
    try forgeSecondEntry(/"byteCount":\d+/, "\"byteCount\":\(length)")
    #expect(try temporary.open().entries.map(\.number) == [1, 3])
    try await expectSecondEntryIsQuarantined("a number is out of range")
  }

  @Test(arguments: [Int.max, -1])
  func anEntryWithAnImpossibleNumberOfAttemptsIsQuarantined(_ attempts: Int) async throws {
    try forgeSecondEntry(/"attempts":\d+/, "\"attempts\":\(attempts)")
    try await expectSecondEntryIsQuarantined("a number is out of range")
  }

  /// Entries with huge lengths fill the store, but their sum does not overflow.
  @Test func hugeLengthsFillTheStore() throws {
    try forgeSecondEntry(/"byteCount":\d+/, "\"byteCount\":\(Int64(1) << 60)")
    let error = #expect(throws: NetworkError.self) {
      try temporary.open().add(.get("https://a.test/new"))
    }
    #expect(error?.code == .offlineStoreFull)
  }

  /// A folder with the name of an entry whose number no entry can have.
  @Test func aFolderWithAnImpossibleNumberIsQuarantined() async throws {
    let folder = temporary.path("entries/\(Int.max)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let store = try temporary.open()
    try store.add(.get("https://a.test/new"))
    let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.delivered.map(\.number) == [1, 2, 3, 4])
    #expect(report.quarantined.count == 1)
  }

  @Test func aFileOfAnotherFormatIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { $0 = Data("{\"hello\": 1}".utf8) }
    try await expectSecondEntryIsQuarantined("the file is not an offline entry")
  }

  @Test func aFileOfALaterVersionIsQuarantined() async throws {
    try change(temporary.entryFile(1)) { data in
      data.replaceSubrange(0..<16, with: Data("Catena-Offline/7".utf8))
    }
    try await expectSecondEntryIsQuarantined("the format Catena-Offline/7 is not supported")
  }

  @Test func aMissingFileIsQuarantined() async throws {
    try FileManager.default.removeItem(atPath: temporary.entryFile(1))
    try await expectSecondEntryIsQuarantined("the entry file is missing")
  }

  @Test func aSymbolicLinkIsQuarantined() async throws {
    let target = try temporary.file("target", Data())
    try FileManager.default.removeItem(atPath: temporary.entryFile(1))
    try FileManager.default.createSymbolicLink(
      atPath: temporary.path(
        temporary.contents.filter {
          $0.hasPrefix("entries/") && !$0.hasSuffix("entry") && !$0.hasSuffix("file-0")
        }[1]) + "/entry",
      withDestinationPath: target.path)
    try await expectSecondEntryIsQuarantined("the entry file is missing")
  }

  @Test func theFileOfAnotherEntryIsQuarantined() async throws {
    let other = try Data(contentsOf: URL(fileURLWithPath: temporary.entryFile(0)))
    try change(temporary.entryFile(1)) { $0 = other }
    try await expectSecondEntryIsQuarantined("the file belongs to another entry")
  }

  @Test(arguments: [Data(), Data("payload 7".utf8), Data("payload 2 and more".utf8)])
  func aChangedPayloadIsQuarantined(_ data: Data) async throws {
    let entry = try temporary.entryFile(1)
    try change(entry.dropLast("entry".count) + "file-0") { $0 = data }
    try await expectSecondEntryIsQuarantined("payload file 1 is missing or has changed")
  }

  @Test func anyChangedOrTruncatedByteIsDetected() async throws {
    let path = try temporary.entryFile(1)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let head = try #require(whole.firstIndex(of: UInt8(ascii: "\n"))) + 1
    for position in Array(0..<head)
      + stride(from: head, to: whole.count, by: TestSize.of(3, full: 1))
    {
      try change(path) { $0 = whole.prefix(position) }
      #expect(try temporary.open().entries.count == 2, "cut off at \(position)")
      try change(path) { data in
        data = whole
        data[position] ^= 0x20
      }
      #expect(try temporary.open().entries.count == 2, "changed at \(position)")
    }
    try change(path) { $0 = whole }
    #expect(try temporary.open().entries.count == 3)
  }

  @Test(arguments: [
    ".DS_Store", "000000000000002-nonsense", "1-5B5F3A0E-0D8B-4B57-A6C5-000000000000",
    "99999999999999999999999-5B5F3A0E-0D8B-4B57-A6C5-000000000000", "-", "000000000000000-x",
  ])
  func aForeignFileIsQuarantinedAndTheRestIsReplayed(_ name: String) async throws {
    try Data("hello".utf8).write(to: URL(fileURLWithPath: temporary.path("entries/\(name)")))
    let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.delivered.map(\.number) == [1, 2, 3])
    #expect(report.quarantined.map(\.reason) == ["the name is not a valid entry name"])
    let location = try #require(report.quarantined.first?.location)
    #expect(location.lastPathComponent.hasSuffix(name))
    #expect(try Data(contentsOf: location) == Data("hello".utf8))
  }

  /// A name of the maximum length, a name that is not UTF-8, and a folder that contains such a
  /// file.
  @Test(arguments: [
    Array(repeating: UInt8(ascii: "a"), count: 255), Array(repeating: 0xc3, count: 255),
    Array("caf".utf8) + [0xe9],
  ])
  func longAndInvalidNamesAreQuarantinedAndTheRestIsReplayed(_ name: [UInt8]) async throws {
    let foreign = Array(temporary.path("entries/").utf8) + name
    let inner = foreign + Array("/".utf8) + name
    try #require(mkdir((foreign + [0]).map(CChar.init(bitPattern:)), 0o700) == 0)
    try #require(mkdir((inner + [0]).map(CChar.init(bitPattern:)), 0o700) == 0)
    let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.delivered.map(\.number) == [1, 2, 3])
    #expect(report.quarantined.map(\.reason) == ["the name is not a valid entry name"])
    #expect(try store.quarantined == report.quarantined.map(\.location))
    try store.emptyQuarantine()
    #expect(try store.quarantined.isEmpty)
  }

  @Test func aFailedQuarantineIsReportedAndTheRestIsReplayed() async throws {
    let foreign = temporary.path("entries/foreign")
    try Data().write(to: URL(fileURLWithPath: foreign))
    try FileManager.default.removeItem(atPath: temporary.path("quarantine"))
    let store = store
    let progress = Log<String>()
    let report = try await store.replay {
      progress.append("\($0.completed)/\($0.total)")
    } _: { _ in
      .fulfilled(.of(200))
    }.value
    #expect(report.delivered.map(\.number) == [1, 2, 3])
    #expect(report.errors.map { ($0 as? NetworkError)?.code } == [.offlineStoreFailed])
    #expect(progress.entries == ["1/4", "2/4", "3/4", "4/4"])
    #expect(FileManager.default.fileExists(atPath: foreign))
  }

  @Test func incompleteEntriesOfOtherProcessesAreRemoved() throws {
    let left = temporary.path("incoming/000000000000009-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(fileURLWithPath: left + "/entry"))
    try store.add(.get("https://a.test/"))
    #expect(try temporary.contents.count { $0.hasPrefix("incoming/") } == 0)
    #expect(try store.count == 4)
  }

  @Test func aMovedStoreFindsItsFiles() async throws {
    let moved = temporary.folder.appendingPathComponent("moved")
    try FileManager.default.moveItem(atPath: temporary.path(""), toPath: moved.path)
    let store = try OfflineStore(folder: moved, clock: { [temporary] in temporary.now })
    let bodies = Log<Data>()
    let report = try await store.replay { entry in
      if case .file(let file) = entry.request.payload { bodies.append(try Data(contentsOf: file)) }
      return .fulfilled(.of(200))
    }.value
    #expect(report.delivered.count == 3)
    #expect(bodies.entries == ["1", "2", "3"].map { Data("payload \($0)".utf8) })
  }
}
