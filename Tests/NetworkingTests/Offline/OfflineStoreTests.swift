import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct OfflineStoreTests {
  private let temporary = TemporaryStore()
  private let base = URL.of("https://api.test/v1/")

  @Test func entriesAreVisibleToOtherStoresOfTheFolder() throws {
    let request = Request.post(
      "boards", parameters: ["title": "Fish", "size": 3], headers: ["X-Trace": "1"], .storedOffline,
      .timeout(.seconds(5)), .priority(.high))
    let key = UUID()
    let kept = try temporary.open().add(
      request, baseURL: base, in: "boards", idempotencyKey: key)
    let found = try temporary.open().entries
    #expect(found == [kept])
    #expect(kept.request == request && kept.baseURL == base && kept.queue == "boards")
    #expect(
      kept.idempotencyKey == key && kept.attempts == 0 && kept.removedCredentialHeaders.isEmpty)
    #expect(kept.created == temporary.now && kept.expires == temporary.now + 100)
  }

  @Test func aStreamCannotBeStored() throws {
    let store = try temporary.open()
    let stream = BodyStream { AsyncStream<Data> { $0.finish() } }
    let error = #expect(throws: NetworkError.self) {
      try store.add(.upload(stream: stream, to: "files"), baseURL: base)
    }
    #expect(error?.code == .encodingFailed)
    #expect(try store.count == 0)
  }

  @Test func aStoredKeyIsNotStoredAgain() throws {
    let store = try temporary.open()
    let first = try store.add(.post("a"), baseURL: base)
    let again = try store.add(.post("a"), baseURL: base, idempotencyKey: first.idempotencyKey)
    #expect(first == again)
    #expect(try store.count == 1)
  }

  @Test func numbersIncreaseAcrossStoresAndRemovals() throws {
    let store = try temporary.open()
    let first = try store.add(.get("https://a.test/"))
    let second = try temporary.open().add(.get("https://a.test/"))
    try store.removeAll()
    let third = try store.add(.get("https://a.test/"))
    #expect([first, second, third].map(\.number) == [1, 2, 3])
    #expect(try store.entries == [third])
  }

  @Test func concurrentlyStoredEntriesHaveUniqueNumbers() async throws {
    let temporary = temporary
    let numbers = Log<Int>()
    await onThreads(4) { _ in
      guard let store = try? temporary.open() else { return }
      for _ in 0..<10 {
        if let entry = try? store.add(.get("https://a.test/")) { numbers.append(entry.number) }
      }
    }
    #expect(numbers.entries.sorted() == Array(1...40))
    #expect(try temporary.open().entries.map(\.number) == Array(1...40))
  }

  @Test func removalReportsWhetherTheEntryExisted() throws {
    let store = try temporary.open()
    let entry = try store.add(.get("https://a.test/"))
    #expect(try store.remove(entry))
    #expect(try !temporary.open().remove(entry))
    #expect(try store.entries.isEmpty && temporary.contents.filter { $0.contains("-") }.isEmpty)
  }

  @Test func payloadFilesAreCopied() throws {
    let bytes = Data.pattern(600_000)
    var form = MultipartFormData()
    form.append("Fish", name: "title")
    form.append(file: try temporary.file("a.png", bytes), name: "picture", contentType: "image/png")
    form.append(file: try temporary.file("b.png", Data()), name: "other")
    let store = try temporary.open()
    try store.add(.upload(multipart: form, to: "https://a.test/"))
    try store.add(.upload(file: try temporary.file("c", bytes), to: "https://a.test/"))
    for name in ["a.png", "b.png", "c"] {
      try FileManager.default.removeItem(at: temporary.folder.appendingPathComponent(name))
    }
    let entries = try store.entries
    guard case .multipart(let kept) = entries[0].request.payload,
      case .file(let picture) = kept.parts[1].content,
      case .file(let empty) = kept.parts[2].content,
      case .file(let file) = entries[1].request.payload
    else {
      Issue.record("\(entries)")
      return
    }
    #expect(kept.parts[1].filename == "a.png" && kept.parts[1].contentType == "image/png")
    #expect(try Data(contentsOf: picture) == bytes)
    #expect(try Data(contentsOf: empty).isEmpty)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func aMissingFileIsAnErrorAndLeavesNoEntry() throws {
    let store = try temporary.open()
    let missing = temporary.folder.appendingPathComponent("missing.png")
    let error = #expect(throws: NetworkError.self) {
      try store.add(.upload(file: missing, to: "https://a.test/"))
    }
    #expect(error?.code == .offlineStoreFailed)
    #expect(
      error?.description
        == "POST https://a.test/: the offline store has failed: missing.png cannot be opened: "
        + "No such file or directory"
    )
    #expect(throws: NetworkError.self) {
      try store.add(.upload(file: temporary.folder, to: "https://a.test/"))
    }
    #expect(try store.count == 0)
    #expect(try temporary.contents == ["entries", "incoming", "lock", "quarantine"])
  }

  @Test func theStoreIsReadableOnlyByItsOwner() throws {
    let file = try temporary.file("a", Data("a".utf8))
    try temporary.open().add(.upload(file: file, to: "https://a.test/"))
    for path in try temporary.contents {
      let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path(path))
      let mode = attributes[.posixPermissions] as? NSNumber
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(mode?.intValue == (isFolder ? 0o700 : 0o600), "\(path)")
    }
  }

  @Test(arguments: [
    "Authorization", "proxy-authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Session-Id",
  ])
  func filesContainNoCredentials(_ name: String) throws {
    let request = Request.post("a", headers: [name: "s3cr3t-seed", "X-Trace": "here"])
    let entry = try temporary.open().add(request, baseURL: base)
    #expect(entry.removedCredentialHeaders == [name])
    #expect(entry.request.headers == ["X-Trace": "here"])
    var seen = ""
    for path in try temporary.contents {
      seen +=
        path
        + String(
          decoding: (try? Data(contentsOf: .init(fileURLWithPath: temporary.path(path)))) ?? Data(),
          as: UTF8.self)
    }
    #expect(seen.contains("here") && !seen.contains("s3cr3t-seed"))
  }

  @Test func aURLWithAUserOrWithoutAHostIsRejected() throws {
    let store = try temporary.open()
    let withUser = URL.of("https://joe:s3cr3t@a.test/")
    for (request, base) in [
      (Request.get("a"), URL?.some(withUser)), (.get(.url(withUser)), nil), (.get("a"), nil),
    ] {
      let error = #expect(throws: NetworkError.self) { try store.add(request, baseURL: base) }
      #expect(error?.code == .invalidURL)
      #expect(error?.description.contains("s3cr3t") == false)
    }
    #expect(try store.count == 0)
  }

  @Test func aFullStoreRejectsWithAReason() throws {
    let store = try temporary.open(limits: .init(entries: 2))
    try store.add(.get("https://a.test/"))
    try store.add(.get("https://a.test/"))
    let error = #expect(throws: NetworkError.self) { try store.add(.get("https://a.test/b")) }
    #expect(error?.code == .offlineStoreFull)
    #expect(
      error?.description
        == "GET https://a.test/b: the offline store is full: the limit of entries, 2, is reached"
    )
    temporary.pass(100)
    try store.add(.get("https://a.test/b"))
    #expect(try store.entries.map(\.number) == [3])
  }

  @Test func aRequestThatIsTooLargeLeavesNoFile() throws {
    let store = try temporary.open(limits: .init(bytes: 5_000))
    try store.add(.get("https://a.test/"))
    let before = try temporary.contents
    let file = try temporary.file("a", Data(count: 6_000))
    for request in [
      Request.upload(file: file, to: "https://a.test/"),
      .upload(data: Data(count: 6_000), to: "https://a.test/"),
    ] {
      let error = #expect(throws: NetworkError.self) { try store.add(request) }
      #expect(error?.code == .offlineStoreFull)
      #expect(try temporary.contents == before)
    }
  }

  @Test func theByteCountIncludesPayloadFiles() throws {
    let file = try temporary.file("a", Data(count: 6_000))
    let store = try temporary.open(limits: .init(bytes: 10_000))
    try store.add(.upload(file: file, to: "https://a.test/"))
    for limits in [OfflineStore.Limits(bytes: 10_000), .init(bytes: 7_000), .init(bytes: 0)] {
      let error = #expect(throws: NetworkError.self) {
        try temporary.open(limits: limits).add(.upload(file: file, to: "https://a.test/"))
      }
      #expect(error?.code == .offlineStoreFull)
    }
    #expect(try store.count == 1)
    #expect(try temporary.contents.count { $0.hasPrefix("incoming/") } == 0)
    temporary.pass(100)
    try store.add(.upload(file: file, to: "https://a.test/"))
    #expect(try store.entries.map(\.number).count == 1)
  }

  @Test(arguments: [OfflineStore.ConflictResolution.keepBoth, .replace, .drop])
  func theClosureResolvesAConflict(_ resolution: OfflineStore.ConflictResolution) throws {
    let conflicts = Log<String>()
    let store = try temporary.open { kept, new in
      conflicts.append("\(kept.request.method) \(new.method)")
      return resolution
    }
    let first = try store.add(.put("a?x=1", parameters: ["v": 1]), baseURL: base, in: "q")
    try store.add(.put("b"), baseURL: base, in: "q")
    try store.add(.put("a"), baseURL: base, in: "other")
    #expect(conflicts.entries.isEmpty)
    let second = try store.add(.delete("https://api.test/v1/a"), in: "q")
    #expect(conflicts.entries == ["PUT DELETE"])
    let numbers = try store.entries.map(\.number)
    switch resolution {
    case .keepBoth: #expect(numbers == [1, 2, 3, 4])
    case .replace: #expect(numbers == [2, 3, 4])
    case .drop:
      #expect(numbers == [1, 2, 3])
      #expect(second == first)
    }
  }

  @Test func theConflictClosureCanUseTheStore() throws {
    let other = try temporary.open()
    let store = try temporary.open { kept, _ in
      // The conflicting entry is removed before the decision is applied.
      _ = try? other.remove(kept)
      return .drop
    }
    try store.add(.put("a"), baseURL: base)
    try store.add(.put("a"), baseURL: base)
    #expect(try store.entries.map(\.number) == [2])
  }

  @Test func anEntryDamagedInTheMeantimeIsNoConflict() throws {
    let store = try temporary.open { _, _ in .replace }
    try store.add(.put("a"), baseURL: base)
    try Data().write(to: URL(fileURLWithPath: temporary.entryFile(0)))
    try store.add(.put("a"), baseURL: base)
    #expect(try store.count == 2)
    #expect(try store.entries.map(\.number) == [2])
  }

  @Test func theClockCanUseTheStore() throws {
    let (temporary, other) = (temporary, try temporary.open())
    let store = try OfflineStore(
      folder: other.folder, limits: .init(entries: 1), lifetime: .seconds(1),
      clock: {
        _ = try? other.emptyQuarantine()
        return temporary.now
      })
    try store.add(.put("a"), baseURL: base)
    temporary.pass(1)
    try store.add(.put("b"), baseURL: base)
    #expect(try store.entries.map(\.number) == [2])
  }
}
