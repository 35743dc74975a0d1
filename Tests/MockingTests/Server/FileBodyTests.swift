import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Mocking

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Tests of bodies from files.
@Suite(.gated)
struct FileBodyTests {
  private let folder = TemporaryFolder()

  /// Returns a transport with a file of ten bytes, whose validators are known.
  private func transport(_ mock: (Mock) -> Mock = { $0 }) throws -> MockTransport {
    _ = try folder.file("a.txt", "0123456789")
    let file = Mock.file("a.txt", in: folder.url)
    let response = mock(
      file.header("ETag", "\"v1\"").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))
    return MockTransport { Route(nil, "/a", response) }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var method = HTTPMethod.get
    let headers: HTTPHeaders
    let status: Int
    var body = ""
    var contentRange: String?

    var testDescription: String { "\(method) \(headers.map { "\($0.name): \($0.value)" })" }
  }

  private static let whole = "0123456789"
  private static let rows = [
    Row(headers: [:], status: 200, body: whole),
    // Ranges
    Row(headers: ["Range": "bytes=0-3"], status: 206, body: "0123", contentRange: "0-3/10"),
    Row(headers: ["Range": "bytes=9-9"], status: 206, body: "9", contentRange: "9-9/10"),
    Row(headers: ["Range": "bytes=7-"], status: 206, body: "789", contentRange: "7-9/10"),
    Row(headers: ["Range": "bytes=-2"], status: 206, body: "89", contentRange: "8-9/10"),
    Row(headers: ["Range": "bytes=-99"], status: 206, body: whole, contentRange: "0-9/10"),
    Row(headers: ["Range": "bytes=8-99"], status: 206, body: "89", contentRange: "8-9/10"),
    Row(headers: ["Range": "Bytes= 2-2"], status: 206, body: "2", contentRange: "2-2/10"),
    Row(
      headers: ["Range": "bytes=1-99999999999999999999999"], status: 206, body: "123456789",
      contentRange: "1-9/10"),
    Row(headers: ["Range": "bytes=10-"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=99999999999999999999999-"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=-0"], status: 416, contentRange: "*/10"),
    Row(headers: ["Range": "bytes=3-1"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=a-b"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=+1-2"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=-"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=1"], status: 200, body: whole),
    Row(headers: ["Range": "bytes=0-1,3-4"], status: 200, body: whole),
    Row(
      headers: HTTPHeaders([
        .init(name: "Range", value: "bytes=0-1"), .init(name: "Range", value: "bytes=3-4"),
      ]), status: 200, body: whole),
    Row(headers: ["Range": "lines=0-1"], status: 200, body: whole),
    Row(method: .head, headers: ["Range": "bytes=0-1"], status: 200),
    Row(method: .post, headers: ["Range": "bytes=0-1"], status: 200, body: whole),
    // If-Range
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "\"v1\""], status: 206, body: "01",
      contentRange: "0-1/10"),
    Row(headers: ["Range": "bytes=0-1", "If-Range": "\"v2\""], status: 200, body: whole),
    Row(headers: ["Range": "bytes=0-1", "If-Range": "W/\"v1\""], status: 200, body: whole),
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 206,
      body: "01", contentRange: "0-1/10"),
    Row(
      headers: ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:38 GMT"], status: 200,
      body: whole),
    // Conditions
    Row(headers: ["If-None-Match": "\"v1\""], status: 304),
    Row(headers: ["If-None-Match": "\"a,b\", W/\"v1\""], status: 304),
    Row(headers: ["If-None-Match": "*"], status: 304),
    Row(headers: ["If-None-Match": "\"v2\""], status: 200, body: whole),
    Row(method: .head, headers: ["If-None-Match": "\"v1\""], status: 304),
    Row(method: .post, headers: ["If-None-Match": "\"v1\""], status: 200, body: whole),
    Row(headers: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 304),
    Row(headers: ["If-Modified-Since": "Sunday, 06-Nov-94 08:49:37 GMT"], status: 304),
    Row(headers: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], status: 200, body: whole),
    Row(headers: ["If-Modified-Since": "yesterday"], status: 200, body: whole),
    Row(
      headers: [
        "If-None-Match": "\"v2\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v1\""], status: 200, body: whole),
    Row(headers: ["If-Match": "*"], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v2\""], status: 412),
    Row(headers: ["If-Match": "W/\"v1\""], status: 412),
    Row(headers: ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], status: 412),
    Row(
      headers: ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], status: 200, body: whole),
    Row(headers: ["If-Match": "\"v2\"", "If-None-Match": "\"v1\""], status: 412),
    Row(headers: ["If-None-Match": "\"v1\"", "Range": "bytes=0-1"], status: 304),
  ]

  @Test(arguments: rows)
  func aRequestReceivesTheFileAPartOfItOrNothing(_ row: Row) async throws {
    let record = await (try transport()).perform(
      HTTPRequest(method: row.method, url: .of("http://h/a"), headers: row.headers))
    #expect(record.head?.status == row.status)
    #expect(String(decoding: record.body, as: UTF8.self) == row.body)
    #expect(record.head?.headers["Content-Range"] == row.contentRange.map { "bytes \($0)" })
    #expect(record.head?.headers.contains("Content-Type") == [200, 206].contains(row.status))
    if row.method != .post {
      #expect(record.head?.headers["ETag"] == "\"v1\"")
      #expect(record.head?.headers["Accept-Ranges"] == "bytes")
    }
  }

  @Test func aFileHasValidatorsOfItsOwn() async throws {
    let file = try folder.file("a.json", "[]")
    let date = Date(timeIntervalSince1970: 784_111_777)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    let transport = MockTransport { [url = folder.url] in Route(nil, "/a", .file("a.json", in: url))
    }
    let first = try #require(await transport.get(.of("http://h/a")).head)
    #expect(first.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(first.headers["Content-Type"] == "application/json")
    let tag = try #require(first.headers["ETag"])
    let again = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["If-None-Match": tag]))
    #expect(again.head?.status == 304)
    _ = try folder.file("a.json", "[1]")
    let changed = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["If-None-Match": tag]))
    #expect(changed.head?.status == 200)
    #expect(changed.body == Data("[1]".utf8))
  }

  @Test(arguments: ["bytes=0-", "bytes=-5", "bytes=0-0"])
  func aRangeOfAnEmptyFileIsTheEmptyFile(range: String) async throws {
    _ = try folder.file("empty", "")
    let transport = MockTransport { [url = folder.url] in Route(nil, "/a", .file("empty", in: url))
    }
    let record = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["Range": range]))
    #expect(record.head?.status == 200)
    #expect(record.head?.headers.contains("Content-Range") == false)
    #expect(record.body.isEmpty)
  }

  /// The file could change again in the second of its last change.
  @Test(arguments: [(0.5, false), (1, true), (60, true)])
  func onlyATimeInThePastProvesThatAFileIsUnchanged(age: Double, isStrong: Bool) throws {
    let modified = Date(timeIntervalSince1970: 784_111_777)
    let condition = RepresentationCondition(
      entityTag: "\"v1\"", modified: modified, now: modified.addingTimeInterval(age))
    let request = HTTPRequest(
      url: .of("http://h/a"),
      headers: ["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"])
    let received = try request.received(ReceivedPath(text: "/a"), number: 0, at: .zero)
    #expect(
      condition.evaluate(received) == (isStrong ? .range(.from(0, through: 1)) : .whole))
  }

  /// A length in the header fields is that of the whole file.
  @Test(arguments: [("bytes=0-3", 206, "4"), ("bytes=10-", 416, "0")])
  func aPartOfAFileHasALengthOfItsOwn(range: String, status: Int, length: String) async throws {
    let transport = try transport { $0.header("Content-Length", "10") }
    let record = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["Range": range]))
    #expect(record.failure == nil)
    #expect(record.head?.status == status)
    #expect(record.head?.headers["Content-Length"] == length)
  }

  @Test func anErrorPageIsNeverPartial() async throws {
    let transport = try transport { file in
      var mock = file
      mock.status = 404
      return mock
    }
    let record = await transport.perform(
      HTTPRequest(url: .of("http://h/a"), headers: ["Range": "bytes=0-1", "If-Match": "\"v2\""]))
    #expect(record.head?.status == 404)
    #expect(String(decoding: record.body, as: UTF8.self) == Self.whole)
  }

  @Test func aFolderIsNotReadAsAFile() async throws {
    let transport = MockTransport { [url = folder.url] in Route(nil, "/a", .file(".", in: url)) }
    #expect(
      await transport.get(.of("http://h/a")).failure?.detail.contains("it is a folder") == true)
  }

  /// A transport with the files of the folder below `/f`.
  private func folderTransport() throws -> MockTransport {
    for name in ["site", "list", "list/b"] {
      try FileManager.default.createDirectory(
        at: folder.url(name), withIntermediateDirectories: true)
    }
    _ = try folder.file("site/index.html", "<b>start</b>")
    _ = try folder.file("list/a&b.txt", "a")
    _ = try folder.file("list/.hidden", "secret")
    return MockTransport { [url = folder.url] in Route(.get, "/f/{name*}", .folder(url)) }
  }

  @Test func theIndexOfAFolderIsItsIndexPage() async throws {
    let record = await (try folderTransport()).get(.of("http://h/f/site/"))
    #expect(record.body == Data("<b>start</b>".utf8))
    #expect(record.head?.headers["Content-Type"] == "text/html")
  }

  @Test func aFolderWithoutAnIndexPageHasOneWithLinksToItsFiles() async throws {
    let record = await (try folderTransport()).get(.of("http://h/f/list/"))
    #expect(record.head?.headers["Content-Type"] == "text/html; charset=utf-8")
    let page = String(decoding: record.body, as: UTF8.self)
    #expect(page.contains("<a href=\"b/\">b/</a>") && page.contains(">a&amp;b.txt</a>"))
    #expect(!page.contains("hidden"))
  }

  @Test func aPathOfAFolderWithoutASlashIsRedirected() async throws {
    let record = await (try folderTransport()).get(.of("http://h/f/list?a=1"))
    #expect(record.head?.status == 308)
    #expect(record.head?.headers["Location"] == "/f/list/?a=1")
  }

  @Test func aLargeFileIsServedCompletelyAndInPart() async throws {
    let content = Data.pattern(3_000_000)
    _ = try folder.file("large", content)
    let server = try MockServer { [url = folder.url] in
      Route(.get, "/large", .file("large", in: url))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.receive(until: "\r\n\r\n").contains("Content-Length: 3000000\r\n"))
    #expect(try await client.receive(exactly: content.count) == content)
    try await client.send(
      "GET /large HTTP/1.1\r\nHost: a\r\nRange: bytes=1000000-2000000\r\n\r\n")
    #expect(
      try await client.receive(until: "\r\n\r\n").contains(
        "Content-Range: bytes 1000000-2000000/3000000\r\n"))
    #expect(try await client.receive(exactly: 1_000_001) == content[1_000_000...2_000_000])
  }

  @Test func aClientThatHasStoppedSendingReceivesTheWholeFile() async throws {
    let content = Data.pattern(3_000_000)
    _ = try folder.file("large", content)
    let server = try MockServer { [url = folder.url] in
      Route(.get, "/large", .file("large", in: url))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    client.finishSending()
    _ = try await client.receive(until: "\r\n\r\n")
    #expect(try await client.receive(exactly: content.count) == content)
  }

  @Test func virtualTimeWaitsUntilAFileIsOpen() async throws {
    _ = try folder.file("a.txt", "late")
    let time = TestScheduler()
    let server = try MockServer(scheduler: time) { [url = folder.url] in
      Route(.get, "/a", .file("a.txt", in: url).delayed(by: .seconds(5)))
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await server.takeRequest().value
    await time.advance(by: .seconds(5))
    #expect(try await client.receive(until: "late").hasSuffix("\r\n\r\nlate"))
  }

  @Test func aMissingFileIsAServerErrorThatNamesIt() async throws {
    let server = try MockServer { [url = folder.url] in Route(.get, "/a", .file("none", in: url)) }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let response = try await client.receiveAll()
    #expect(response.hasPrefix("HTTP/1.1 500 "))
    #expect(response.contains("there is no file \"none\" in "))
  }

  @Test func onlyALargeFileIsReadWhileItIsSent() throws {
    for (size, isLarge) in [(65_536, false), (65_537, true)] {
      _ = try folder.file("a", Data.pattern(size))
      let mock = try Mock.file("a", in: folder.url).openingFile(for: nil)
      #expect(ResponseScript(mock).readsFile == isLarge)
    }
    #expect(!ResponseScript(.bytes(100_000)).readsFile)
  }

  /// The thread of the connections never reads a file.
  @Test func aPlayerSendsThePiecesThatAnotherThreadHasRead() throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
      try #require(socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
    #else
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    #endif
    defer { for end in ends { close(end) } }
    let socket = Socket(descriptor: ends[0])
    let requests = Log<Range<Int>>()
    let body = WireBytes.Segment.generated(0..<5) { _ in
      Issue.record("the player has read the file")
      return Data()
    }
    var player = ScriptPlayer()
    let number = player.begin(
      [.send(body), .end(.keepAlive)], readFile: { range, _, _ in requests.append(range) })
    guard case .waits = player.advance(socket), case .waits = player.advance(socket) else {
      Issue.record("the player does not wait for the first piece")
      return
    }
    #expect(requests.entries == [0..<5])
    let earlier = player.received(Data("???".utf8), in: number - 1)
    let first = player.received(Data("abc".utf8), in: number)
    let again = player.received(Data("abc".utf8), in: number)
    #expect([earlier, first, again] == [false, true, false])
    guard case .waits = player.advance(socket) else {
      Issue.record("the player does not wait for the second piece")
      return
    }
    #expect(requests.entries == [0..<5, 3..<5])
    _ = player.received(Data("defgh".utf8), in: number)
    guard case .end(.keepAlive) = player.advance(socket) else {
      Issue.record("the player has not reached the end")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = read(ends[1], &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "abcde")
    let second = player.begin(
      [.send(body), .end(.keepAlive)], readFile: { _, _, _ in })
    _ = player.advance(socket)
    _ = player.received(Data(), in: second)
    guard case .failed = player.advance(socket) else {
      Issue.record("a file that is too short does not end the connection")
      return
    }
  }

  @Test func aFileThatShrinksHasNoFurtherBytes() throws {
    let url = try folder.file("a", Data.pattern(200_000))
    let file = try #require(
      try ServedFile.existing { () throws(FileError) in try OpenFile(url.path) })
    guard case .generated(let count, let read) = file.body(0..<file.byteCount) else {
      Issue.record("the body is in memory")
      return
    }
    #expect(count == 200_000)
    #expect(read(0..<100) == Data.pattern(100))
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: 50)
    try handle.close()
    #expect(read(0..<100) == Data.pattern(50))
    #expect(read(50..<200_000).isEmpty)
  }
}
