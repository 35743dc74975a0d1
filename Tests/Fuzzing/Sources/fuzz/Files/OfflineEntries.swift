import Foundation
import Promises
import Synchronization

@testable import CatenaSystem
@testable import Networking

extension FuzzTarget {
  /// The file of an entry in an offline store, written by someone else.
  ///
  /// The input is the JSON of an entry, which gets a first line with its length and checksum. If it
  /// begins with `Catena-Offline`, it is the whole file.
  static let offlineEntries = FuzzTarget("offline-entries") { input in
    Growth.checkLinear(input) { bytes in
      _ = try? EntryRecord.read(Scratch.write(framed(Data(bytes)), to: "entry").path)
    }
    let data = input.bytes.starts(with: "Catena-Offline".utf8) ? input.data : framed(input.data)
    let file = Scratch.write(data, to: "entry")
    do {
      if let record = try EntryRecord.read(file.path) {
        let again = try EntryRecord.read(
          Scratch.write(try record.encoded(), to: "entry").path)
        expect(again == record, "an entry that is written again is equal")
        checkStore(record, data)
      }
    } catch let error as CorruptEntryError {
      expect(!error.reason.isEmpty, "an error has a reason")
    } catch {
      expect(error is FileError, "the error is \(error)")
    }
  }

  /// Returns the file of an entry with the right length and checksum.
  private static func framed(_ body: Data) -> Data {
    Data("Catena-Offline/1 \(body.count) \(Checksum(body).text)\n".utf8) + body
  }

  /// Uses a store that has the entry.
  private static func checkStore(_ record: EntryRecord, _ data: Data) {
    let folder = Scratch.folder.appendingPathComponent("store")
    let name = EntryName(number: record.number, key: record.key)
    guard EntryName(name.text) == name else { return }
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let entry = folder.appendingPathComponent("entries/\(name.text)")
      try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
      try data.write(to: entry.appendingPathComponent(EntryRecord.fileName))
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      let store = try OfflineStore(folder: folder, clock: { now }) { _, _ in .keepBoth }
      let entries = try store.entries
      expect(entries.allSatisfy { $0.number == record.number }, "the entry is read")
      for entry in entries { expect(!"\(entry.request)".isEmpty, "a request has a description") }
      do {
        _ = try store.add(.get("https://a.test/new"), in: record.queue)
      } catch {
        let codes: [NetworkError.Code] = [.offlineStoreFull, .offlineStoreFailed]
        expect((error as? NetworkError).map { codes.contains($0.code) } == true, "it is \(error)")
      }
      let before = try store.count
      let report = try replay(store)
      let left = report.delivered.count + report.quarantined.count + report.expired.count
      expect(try store.count + left == before, "each entry is reported: \(report)")
      expect(report.failed.isEmpty && report.errors.isEmpty, "nothing else happens: \(report)")
    } catch {
      fatalError("violated: a store with the entry can be used: \(error)")
    }
  }

  /// Sends the entries of a store.
  ///
  /// Entries with an odd number of attempts fail.
  private static func replay(
    _ store: OfflineStore
  ) throws -> OfflineStore.Report {
    guard let url = URL(string: "https://a.test/") else { throw URLError(.badURL) }
    let response = Response(head: HTTPResponseHead(status: 200), request: HTTPRequest(url: url))
    let end = DispatchSemaphore(value: 0)
    let result = Mutex<Result<OfflineStore.Report, any Error>?>(nil)
    let promise = store.replay { entry in
      guard entry.attempts % 2 == 0 else { throw NetworkError(.connectionLost) }
      return .fulfilled(response)
    }
    promise.always(on: .inline) { settled in
      result.withLock { $0 = settled }
      end.signal()
    }
    end.wait()
    return try unwrap(result.withLock { $0 }, "a replay ends").get()
  }
}
