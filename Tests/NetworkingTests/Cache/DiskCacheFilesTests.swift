import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

/// Records that cannot be read now, and records with any numbers.
@Suite(.gated)
struct DiskCacheFilesTests {
  private static let name = String(repeating: "ab", count: 32)

  /// Returns a record of one response with a body file.
  private static func record(_ body: StoredBodyFile) throws -> CacheRecord {
    let now = CacheFixture.start
    return CacheRecord(
      try #require(CacheKey(URL.of("http://cache.test/a"))),
      [
        StoredResponse(
          HTTPResponseHead(status: 200, headers: ["ETag": "\"1\""]), requestTime: now,
          responseTime: now, for: CacheSelector(), body: .file(body))
      ])
  }

  @Test(arguments: [Int64(Int.max / 32), Int64(Int.max / 32) + 1, .max])
  func aRecordWithABodyThatNoDiskHasIsNotValid(_ byteCount: Int64) throws {
    let body = StoredBodyFile(path: "/folder/body", byteCount: byteCount, checksum: "0")
    let data = CacheRecordCoding.encode(try Self.record(body), Self.name)
    let record = CacheRecordCoding.decode(data, Self.name, of: nil, bodiesIn: "/folder")
    #expect((record != nil) == (byteCount <= Int64(Int.max / 32)))
  }

  @Test func aTimeOutOfRangeIsThatOfTheEpoch() throws {
    let key = try #require(CacheKey(URL.of("http://cache.test/a")))
    for seconds in [-1, 1e300, .infinity, .nan] {
      let time = Date(timeIntervalSince1970: seconds)
      let response = StoredResponse(
        HTTPResponseHead(status: 200), requestTime: time, responseTime: time,
        for: CacheSelector(), body: .data(Data()))
      let data = CacheRecordCoding.encode(CacheRecord(key, [response]), Self.name)
      let record = CacheRecordCoding.decode(data, Self.name, of: nil, bodiesIn: "/folder")
      let read = try #require(record?.responses.first, "\(seconds)")
      #expect(read.requestTime == Date(timeIntervalSince1970: 0), "\(seconds)")
      #expect(read.responseTime == Date(timeIntervalSince1970: 0), "\(seconds)")
    }
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process without root privileges, because root ignores permissions.
    @Test func aRecordThatCannotBeReadNowKeepsItsBodyUntilAllAreRemoved() async {
      await #expect(processExitsWith: .success) {
        _ = seteuid(65_534)
        let folder = TemporaryFolder()
        let store = DiskCacheStore(folder.url, .disk, FileSystem())
        let (files, name) = (store.files, DiskCacheFilesTests.name)
        let body = try files.write(Data(count: 20_000), bodyOf: name)
        _ = try files.write(try DiskCacheFilesTests.record(body), name)
        // Old enough to be removed if no record had it.
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: body.path)
        #expect(chmod(files.path(of: name), 0) == 0)
        #expect(throws: FileError.self) { try files.read(name, of: nil, isTouched: false) }
        #expect(files.scan(0xAB).map(\.bodies) == [[body.path]])
        await store.forEach(removesUnreadable: false) { _ in }
        #expect(chmod(files.path(of: name), 0o600) == 0)
        #expect(try files.read(name, of: nil, isTouched: false)?.files == [body])
        #expect(FileManager.default.fileExists(atPath: body.path))

        #expect(chmod(files.path(of: name), 0) == 0)
        await store.forEach(removesUnreadable: true) { _ in }
        #expect(try files.fileSystem.names(in: files.folder(of: name)).isEmpty)
      }
    }

    /// Runs in a separate process without root privileges, because root ignores permissions.
    @Test func aResponseWhoseBodyCannotBeReadNowStays() async {
      await #expect(processExitsWith: .success) {
        _ = seteuid(65_534)
        let folder = TemporaryFolder()
        let cache = HTTPCache(folder: folder.url, memory: nil)
        let fixture = try CacheFixture()
        let client = fixture.client(cache)
        let body = String(repeating: "x", count: 100_000)
        fixture.reply(body, ["Cache-Control": "max-age=1000"])
        _ = try await client.request(.get("/a")).value
        await cache.flush()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        let name = try #require(paths.first { $0.hasSuffix(".body") })
        #expect(chmod(folder.url(name).path, 0) == 0)
        fixture.reply("busy", status: 503)
        #expect(try await client.request(.get("/a")).value.status == 503)
        await cache.flush()
        #expect(chmod(folder.url(name).path, 0o600) == 0)
        let again = try await client.request(.get("/a")).value
        #expect(again.source == .cache && again.data == Data(body.utf8))
      }
    }
  #endif
}
