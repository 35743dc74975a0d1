import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

@Suite(.gated)
struct CacheStoreTests {
  private let folder = TemporaryFolder(in: TemporaryFolder.memory)
  private let fresh: HTTPHeaders = ["Cache-Control": "max-age=1000", "ETag": "\"1\""]

  private func files(_ folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.allObjects as? [URL] ?? []).filter { url in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        && !isFolder.boolValue && !url.lastPathComponent.hasPrefix("lock")
    }
  }

  private func cache(_ limits: HTTPCache.Limits = .disk, memory: HTTPCache.Limits? = nil)
    -> HTTPCache
  {
    HTTPCache(folder: folder.url("cache"), disk: limits, memory: memory)
  }

  @Test func aResponseIsInTheNextRunOfTheProgram() async throws {
    let fixture = try CacheFixture(.memory)
    fixture.reply("one", fresh)
    let first = cache(memory: .memory)
    _ = try await fixture.client(first).request(.get("/a")).value
    await first.flush()
    let again = try await fixture.client(cache()).request(.get("/a")).value
    #expect(again.source == .cache && again.storedAt == CacheFixture.start)
    #expect(fixture.received.count == 1)
  }

  @Test func memoryPressureEvictsTheResponsesInMemoryOnly() async throws {
    let fixture = try CacheFixture(.memory)
    for body in ["one", "two"] { fixture.reply(body, fresh) }
    let (disk, memory) = (cache(memory: .memory), HTTPCache())
    for cache in [disk, memory] {
      let client = fixture.client(cache)
      _ = try await client.request(.get("/a")).value
      await cache.flush()
      let store = try #require(cache.memory)
      #expect(store.size.entries == 1)
      let changes = store.changeCount
      store.pressure.report()
      #expect(store.size == (0, 0) && store.changeCount == changes)
    }
    // Two responses of the server so far: the disk has one of them.
    #expect(try await fixture.client(disk).request(.get("/a")).value.source == .cache)
    #expect(disk.memory?.size.entries == 1)
    #expect(fixture.received.count == 2)
    fixture.reply("three", fresh)
    #expect(try await fixture.client(memory).request(.get("/a")).value.source != .cache)
    #expect(fixture.received.count == 3)
  }

  @Test func filesAreForTheOwnerOnlyAndHaveNoSecretsInTheirNames() async throws {
    let fixture = try CacheFixture(.memory)
    fixture.reply("one", fresh.merging(["Vary": "X-Api-Key"]))
    let cache = cache()
    let request = Request.get(
      "/a", parameters: ["token": "url-secret"],
      headers: ["Authorization": "Bearer header-secret", "X-Api-Key": "vary-secret"])
    _ = try await fixture.client(cache).request(request).value
    await cache.flush()
    let files = files(folder.url("cache"))
    #expect(files.count == 1)
    for file in files {
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      #expect(!file.path.contains("secret"))
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      #expect(!text.contains("-secret"))
    }
    let entries = await cache.entries()
    #expect(entries.count == 1 && entries.allSatisfy { !$0.url.contains("url-secret") })
    // The next run of the program finds it nevertheless.
    let again = try await fixture.client(self.cache()).request(request).value
    #expect(again.source == .cache)
  }

  @Test(arguments: [100, 40_000])
  func everyByteOfAnEntryCanChange(bodySize: Int) async throws {
    let fixture = try CacheFixture(.memory)
    let body = String(decoding: Data.pattern(bodySize).map { $0 & 0x7F }, as: UTF8.self)
    fixture.reply(body, fresh)
    let first = cache()
    _ = try await fixture.client(first).request(.get("/a")).value
    await first.flush()
    let files = files(folder.url("cache"))
    #expect(files.count == (bodySize > DiskCacheFiles.inlineLimit ? 2 : 1))
    let originals = try files.map { try Data(contentsOf: $0) }
    let url = try #require(URL(string: "\(fixture.url)/a"))
    let key = try #require(CacheKey(url))
    // Read below the stage, because a client for each of the bytes would take long.
    let store = DiskCacheStore(folder.url("cache"), .disk, FileSystem())
    for (file, original) in zip(files, originals) {
      // Every byte of the record, and every 97th of a large body.
      for position in stride(from: 0, to: original.count, by: original.count > 5_000 ? 97 : 1) {
        for (file, original) in zip(files, originals) { try original.write(to: file) }
        var changed = original
        changed[position] ^= UInt8(1 << (position % 8))
        try changed.write(to: file)
        let result = await read(store, key)
        #expect(result == nil || result == Data(body.utf8), "byte \(position)")
        // A changed byte of a record or a body is always noticed.
        #expect(result == nil, "byte \(position)")
      }
      for length in [0, 1, original.count / 2, original.count - 1] {
        for (file, original) in zip(files, originals) { try original.write(to: file) }
        try original.prefix(length).write(to: file)
        #expect(await read(store, key) == nil, "length \(length)")
      }
    }
  }

  /// Reads the body of a stored response as a client does.
  private func read(_ store: DiskCacheStore, _ key: CacheKey) async -> Data? {
    await withCheckedContinuation { continuation in
      store.perform(key, awaitedBy: .live) { access in
        guard let response = (try? access.read())?.responses.first else {
          return continuation.resume(returning: nil)
        }
        switch response.body {
        case .data(let data): continuation.resume(returning: data)
        case .file(let file):
          var data = Data()
          let isValid = try? DiskCacheFiles.read(file) { data.append($0) }
          continuation.resume(returning: isValid == true ? data : nil)
        }
      }
    }
  }

  @Test func aChangedBodyFileIsRequestedAgain() async throws {
    let fixture = try CacheFixture(.memory)
    let body = String(repeating: "x", count: 100_000)
    fixture.reply(body, fresh)
    let cache = cache()
    let client = fixture.client(cache)
    _ = try await client.request(.get("/a")).value
    await cache.flush()
    let file = try #require(files(folder.url("cache")).first { $0.pathExtension == "body" })
    var data = try Data(contentsOf: file)
    data[50_000] ^= 1
    try data.write(to: file)
    fixture.reply("two", fresh)
    let response = try await client.request(.get("/a")).value
    #expect(response.source == .network && response.data == Data("two".utf8))
    await cache.flush()
    #expect(try await client.request(.get("/a")).value.source == .cache)
  }

  @Test func largeBodiesAreFilesAndAreReplacedWithoutRemains() async throws {
    let fixture = try CacheFixture(.memory)
    let cache = cache()
    let client = fixture.client(cache)
    for version in 1...5 {
      let body = String(repeating: "\(version)", count: 50_000)
      fixture.reply(
        .init(headers: ["Cache-Control": "max-age=1", "ETag": "\"\(version)\""], body: body))
      _ = try await client.request(.get("/a")).value
      fixture.advance(by: 2)
      await cache.flush()
      #expect(files(folder.url("cache")).count == 2)
    }
    fixture.reply(.init(status: 304, headers: ["Cache-Control": "max-age=100"]))
    let confirmed = try await client.request(.get("/a")).value
    #expect(confirmed.source == .revalidated && confirmed.data.first == UInt8(ascii: "5"))
    await cache.flush()
    #expect(files(folder.url("cache")).count == 2)
    #expect(try await client.request(.get("/a")).value.source == .cache)
  }

  @Test func downloadsAndStreamsAreStoredAndServed() async throws {
    for (index, limits) in [HTTPCache.Limits?.none, .memory].enumerated() {
      let fixture = try CacheFixture(.platform)
      let body = String(repeating: "0123456789", count: 30_000)
      let cache =
        index == 0
        ? HTTPCache(folder: folder.url("downloads"), memory: limits)
        : HTTPCache(memory: try #require(limits))
      let client = fixture.client(cache)
      fixture.reply(body, fresh)
      _ = try await client.download(.get("/file"), to: folder.url("one")).value
      fixture.reply(body, fresh)
      let stream = try await client.stream(.get("/stream")).value
      for try await _ in stream.bytes {}
      await cache.flush()
      #expect(fixture.received.count == 2)
      for path in ["/file", "/stream"] {
        let file = folder.url("two\(path.dropFirst())")
        let downloaded = try await client.download(.get("\(raw: path)"), to: file).value
        #expect(downloaded.source == .cache && downloaded.file == file)
        #expect(try Data(contentsOf: file) == Data(body.utf8))
        let streamed = try await client.stream(.get("\(raw: path)")).value
        var data = Data()
        for try await piece in streamed.bytes { data.append(piece) }
        #expect(streamed.source == .cache && data == Data(body.utf8))
        let whole = try await client.request(.get("\(raw: path)")).value
        #expect(whole.source == .cache && whole.data == Data(body.utf8))
      }
      #expect(fixture.received.count == 2)
    }
  }

  @Test func aStreamThatHasEndedReleasesTheFileOfItsBody() async throws {
    let fixture = try CacheFixture(.memory)
    let cache = cache()
    let client = fixture.client(cache)
    let folder = folder.url("cache")
    fixture.reply(String(repeating: "x", count: 1 << 20), fresh)
    _ = try await client.request(.get("/a")).value
    await cache.flush()
    for isRead in [true, false] {
      do {
        let stream = try await client.stream(.get("/a")).value
        #expect(stream.source == .cache && ProcessResources.hasOpenFile(below: folder))
        if isRead { for try await _ in stream.bytes {} }
      }
      while ProcessResources.hasOpenFile(below: folder) { await Task.yield() }
    }
  }

  @Test func aResponseThatCannotBeWrittenTakesTheFilesOfTheEarlierOneAway() async throws {
    let fixture = try CacheFixture(.memory)
    let fails = Atomic(false)
    let url = folder.url("cache")
    let cache = HTTPCache(memory: nil, disk: (url, .disk)) { step in
      // The folder of the record cannot be written any more.
      guard step == "create", fails.load(ordering: .relaxed) else { return }
      let incoming = url.appendingPathComponent("incoming")
      try? FileManager.default.removeItem(at: incoming)
      _ = FileManager.default.createFile(atPath: incoming.path, contents: nil)
    }
    let client = fixture.client(cache)
    fixture.reply(String(repeating: "x", count: 100_000), fresh)
    _ = try await client.request(.get("/a")).value
    await cache.flush()
    #expect(files(url).contains { $0.pathExtension == "body" })
    fails.store(true, ordering: .relaxed)
    fixture.reply("two", fresh)
    _ = try await client.request(.get("/a", .cache(.reload))).value
    await cache.flush()
    #expect(files(url).allSatisfy { $0.lastPathComponent == "incoming" })
    #expect(cache.diskStore?.failedWrites == 1)
  }

  @Test func oneURLHasAQuarterOfTheStoreAtMost() async throws {
    let fixture = try CacheFixture(.memory) { request in
      .init(
        headers: ["Cache-Control": "max-age=100", "Vary": "X-User"],
        body: String(repeating: request.headers["X-User"] ?? "", count: 100_000))
    }
    let cache = cache(HTTPCache.Limits(bytes: 1_000_000, entries: 100))
    let client = fixture.client(cache)
    for user in 0..<8 {
      _ = try await client.request(.get("/a", headers: ["X-User": "\(user)"])).value
      fixture.advance(by: 1)
    }
    await cache.flush()
    #expect(files(folder.url("cache")).filter { $0.pathExtension == "body" }.count == 2)
    let newest = Request.get("/a", headers: ["X-User": "7"])
    #expect(try await client.request(newest).value.source == .cache)
  }

  @Test func anIncompleteDownloadIsNotStored() async throws {
    let fixture = try CacheFixture(.platform)
    let cache = cache()
    fixture.reply(.init(headers: fresh, fault: .reset))
    let client = fixture.client(cache)
    _ = await client.download(.get("/a"), to: folder.url("file")).result
    await cache.flush()
    #expect(files(folder.url("cache")).isEmpty)
    #expect(await cache.entries().isEmpty)
  }

  @Test func theLeastRecentlyUsedResponsesAreEvicted() async throws {
    let fixture = try CacheFixture(.memory)
    let memory = HTTPCache(memory: .init(bytes: 1 << 20, entries: 3))
    let client = fixture.client(memory)
    for name in ["a", "b", "c"] {
      fixture.reply(name, fresh)
      _ = try await client.request(.get("/\(name)")).value
    }
    #expect(try await client.request(.get("/a")).value.source == .cache)
    fixture.reply("d", fresh)
    _ = try await client.request(.get("/d")).value
    #expect(try await client.request(.get("/a")).value.source == .cache)
    fixture.reply("b", fresh)
    #expect(try await client.request(.get("/b")).value.source == .network)
    #expect(await memory.usage().memoryEntries == 3)
  }

  @Test func theDiskStoreStaysWithinItsLimits() async throws {
    let fixture = try CacheFixture(.memory) { _ in
      .init(
        headers: ["Cache-Control": "max-age=1000"], body: String(repeating: "x", count: 1_000))
    }
    let cache = cache(.init(bytes: 100_000, entries: 1_000))
    let client = fixture.client(cache)
    for number in 0..<200 { _ = try await client.request(.get("/\(number)")).value }
    await cache.flush()
    let usage = await cache.usage()
    #expect(usage.diskBytes <= 100_000 && usage.diskBytes > 50_000)
    #expect(usage.failedWrites == 0)
    // More than an eighth of the store.
    let large = try CacheFixture(.memory) { _ in
      .init(
        headers: ["Cache-Control": "max-age=1000"], body: String(repeating: "x", count: 20_000))
    }
    _ = try await large.client(cache).request(.get("/large")).value
    await cache.flush()
    #expect(await cache.entries().allSatisfy { $0.bodySize < 20_000 })
  }

  @Test(arguments: [false, true])
  func entriesAreListedAndRemoved(isOnDisk: Bool) async throws {
    let fixture = try CacheFixture(.memory)
    let cache = isOnDisk ? cache() : HTTPCache()
    let client = fixture.client(cache)
    for path in ["/a", "/b", "/c"] {
      fixture.reply(path, fresh)
      _ = try await client.request(.get("\(raw: path)")).value
      fixture.advance(by: 10)
    }
    fixture.reply("other", fresh)
    _ = try await client.request(.get("http://other.test/a")).value
    let entries = await cache.entries()
    #expect(
      entries.map(\.url).sorted() == [
        "http://cache.test:8080/a", "http://cache.test:8080/b", "http://cache.test:8080/c",
        "http://other.test/a",
      ])
    #expect(Set(entries.map(\.origin)) == ["http://cache.test:8080", "http://other.test"])
    let first = try #require(entries.first { $0.url == "http://cache.test:8080/a" })
    #expect(first.storedAt == CacheFixture.start && first.bodySize == 2 && first.status == 200)
    #expect(first.expires == CacheFixture.start + 1_000)
    await cache.remove(try #require(URL(string: "http://cache.test:8080/b#part")))
    #expect(await cache.entries().count == 3)
    await cache.remove(storedBefore: CacheFixture.start + 10)
    #expect(await cache.entries().count == 2)
    await cache.remove(try #require(Origin(URL.of("http://other.test"))))
    #expect(await cache.entries().map(\.url) == ["http://cache.test:8080/c"])
    await cache.removeAll()
    #expect(await cache.entries().isEmpty)
    let usage = await cache.usage()
    #expect(usage.memoryEntries == 0 && usage.diskEntries == 0 && usage.diskBytes == 0)
  }

  @Test func twoCachesShareAFolder() async throws {
    let fixture = try CacheFixture(.memory)
    let (one, other) = (cache(), cache())
    fixture.reply("one", ["Cache-Control": "max-age=100", "Vary": "Accept"])
    _ = try await fixture.client(one).request(.get("/a", headers: ["Accept": "a/1"])).value
    await one.flush()
    fixture.reply("two", ["Cache-Control": "max-age=100", "Vary": "Accept"])
    _ = try await fixture.client(other).request(.get("/a", headers: ["Accept": "a/2"])).value
    await other.flush()
    for cache in [one, other] {
      for (type, body) in [("a/1", "one"), ("a/2", "two")] {
        let response = try await fixture.client(cache).request(
          .get("/a", headers: ["Accept": type])
        ).value
        #expect(response.source == .cache && response.data == Data(body.utf8))
      }
    }
    fixture.reply("", status: 204)
    _ = try await fixture.client(one).request(.put("/a")).value
    await one.flush()
    fixture.reply("three")
    #expect(
      try await fixture.client(other).request(.get("/a", headers: ["Accept": "a/1"])).value.source
        == .network)
  }

  @Test func filesOfKilledProcessesAreRemoved() async throws {
    let fixture = try CacheFixture(.memory)
    let incoming = folder.url("cache").appending(path: "incoming")
    try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
    // A process number that no process has.
    try Data("x".utf8).write(to: incoming.appending(path: "4194304-1"))
    fixture.reply("one", fresh)
    let cache = cache()
    _ = try await fixture.client(cache).request(.get("/a")).value
    _ = await cache.usage()
    #expect(try FileManager.default.contentsOfDirectory(atPath: incoming.path) == [])
  }

  @Test func aFolderThatCannotBeWrittenFailsNoRequest() async throws {
    let fixture = try CacheFixture(.memory)
    let file = try folder.file("occupied", "not a folder")
    let cache = HTTPCache(folder: file, memory: nil)
    for _ in 0..<2 {
      fixture.reply("one", fresh)
      #expect(try await fixture.client(cache).request(.get("/a")).value.source == .network)
      await cache.flush()
    }
    #expect(await cache.usage().failedWrites == 2)
  }
}
