import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

/// A jar in a file.
@Suite(.gated)
struct CookieFileTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let url = URL.of("https://shop.example/")

  init() throws {
    folder = TemporaryFolder()
    file = folder.url("folder/cookies.json")
  }

  private func set(_ fields: String..., in jar: CookieJar) {
    for field in fields { jar.set(parsing: field, from: url) }
  }

  private func failure(_ body: () throws -> Void) -> NetworkError.Code? {
    do { try body() } catch { return (error as? NetworkError)?.code }
    return nil
  }

  @Test func cookiesWithADateOutliveTheJar() async throws {
    let jar = try CookieJar(file: file)
    set(
      "a=1; Max-Age=1000; Path=/x; Secure; HttpOnly; SameSite=Lax; Domain=shop.example", "b=2",
      "c=😀; Max-Age=500", in: jar)
    try await jar.synchronize().value
    let expected = jar.cookies.filter { $0.expires != nil }
    #expect(expected.count == 2)
    #expect(try CookieJar(file: file).cookies == expected)
  }

  @Test func theFileIsReadableByItsOwnerOnly() async throws {
    let jar = try CookieJar(file: file)
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    for (name, mode) in [("", 0o700), ("cookies.json", 0o600), ("cookies.json.lock", 0o600)] {
      let path = folder.url("folder/\(name)").path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
    #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
  }

  @Test func noCallerWaitsForTheDisk() async throws {
    let jar = try CookieJar(file: file)
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    let held = try FileLock(waitingFor: file.path + ".lock")
    set("b=2; Max-Age=1000", in: jar)
    let pipeline = Pipeline([CookieStage(jar: jar)])
    let transport = FakeTransport { _ in .response(200, ["Set-Cookie": "c=3; Max-Age=1000"]) }
    let sent = pipeline.send(Exchange(HTTPRequest(url: url), over: transport))
    #expect(try await sent.value.status == 200)
    #expect(transport.requests.first?.headers["Cookie"] == "a=1; b=2")
    #expect(jar.cookies.count == 3)
    let synchronized = jar.synchronize()
    #expect("\(synchronized.state)" == "pending")
    #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
    release(held)
    try await synchronized.value
    #expect(try CookieJar(file: file).cookies.map(\.name) == ["a", "b", "c"])
  }

  private func release(_ lock: consuming FileLock) {}

  @Test func aBurstOfResponsesLeadsToOneWrite() async throws {
    let time = RecordingScheduler()
    let writes = Log<String>()
    let fileSystem = FileSystem { if $0 == "rename" { writes.append($0) } }
    let jar = try CookieJar(CookieFile(file, fileSystem), scheduler: time)
    func respond(_ number: Int) async throws {
      let headers: HTTPHeaders = ["Set-Cookie": "c\(number % 40)=\(number); Max-Age=1000"]
      let transport = FakeTransport { _ in .response(200, headers) }
      _ = try await Pipeline([CookieStage(jar: jar)])
        .send(Exchange(HTTPRequest(url: url), over: transport)).value
    }
    // The first change is written at once.
    try await respond(0)
    try await jar.synchronize().value
    #expect(writes.entries.count == 1)
    for number in 1...100 { try await respond(number) }
    #expect(await time.scheduled(1) == [.seconds(1)])
    #expect(try CookieJar(file: file).cookies.count == 1)
    await time.time.advance(by: .seconds(1))
    _ = await writes.entries(2)
    try await jar.synchronize().value
    #expect(writes.entries.count == 2)
    #expect(try CookieJar(file: file).cookies == jar.cookies)
    // After a second without changes, the next one is written at once again.
    await time.time.advance(by: .seconds(1))
    try await respond(101)
    _ = await writes.entries(3)
  }

  @Test func aCookieWithoutADateSchedulesNoWrite() async throws {
    let time = TestScheduler()
    let jar = try CookieJar(CookieFile(file), scheduler: time)
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    set("s=1", "s=2", "s=; Max-Age=0", in: jar)
    #expect(time.scheduledCount == 0)
    // The cookie in the file loses its date.
    set("a=2", in: jar)
    #expect(time.scheduledCount == 1)
    await time.advance(by: .seconds(1))
    try await jar.synchronize().value
    #expect(try CookieJar(file: file).cookies.isEmpty && jar.cookies.map(\.name) == ["a"])
  }

  @Test func aCookieStoredDuringAWriteIsNotLost() async throws {
    let jar = try CookieJar(file: file)
    let hosts = 10
    let writer = Task {
      for host in 0..<hosts {
        for number in 0..<50 {
          jar.set(
            parsing: "c\(number)=1; Max-Age=1000",
            from: try #require(URL(string: "https://h\(host).example/")))
        }
      }
    }
    for _ in 0..<20 { try await jar.synchronize().value }
    try await writer.value
    try await jar.synchronize().value
    #expect(jar.cookies.count == hosts * 50)
    #expect(try CookieJar(file: file).cookies.count == hosts * 50)
  }

  @Test func aWriteDoesNotCountAsAUse() async throws {
    let jar = try CookieJar(file: file)
    for number in 0..<50 { set("c\(number)=1; Path=/\(number); Max-Age=1000", in: jar) }
    try await jar.synchronize().value
    _ = jar.field(for: .of("https://shop.example/0"))
    // All cookies of the file are merged when another jar has written.
    let other = try CookieJar(file: file)
    other.set(parsing: "x=1; Max-Age=1000", from: .of("https://other.example/"))
    try await other.synchronize().value
    try await jar.synchronize().value
    set("new=1; Max-Age=1000", in: jar)
    let names = jar.cookies.map(\.name)
    #expect(names.contains("x") && names.contains("c0"))
    #expect(!names.contains("c1") && names.count == 51)
  }

  @Test func aMissingFileIsWrittenAgain() async throws {
    let jar = try CookieJar(file: file)
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    try FileManager.default.removeItem(at: file)
    try await jar.synchronize().value
    #expect(jar.cookies.map(\.name) == ["a"])
    #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
  }

  @Test func anEmptiedFileRemovesTheCookiesOfOtherJars() async throws {
    let (first, second) = (try CookieJar(file: file), try CookieJar(file: file))
    set("a=1; Max-Age=1000", in: first)
    try await first.synchronize().value
    try await second.synchronize().value
    first.removeAll()
    try await first.synchronize().value
    try await second.synchronize().value
    #expect(second.cookies.isEmpty)
  }

  @Test func aSymbolicLinkIsAnError() async throws {
    let target = try folder.file("target.json", #"{"version":1,"cookies":[]}"#)
    let link = folder.url("link.json")
    #expect(symlink(target.path, link.path) == 0)
    let error = #expect(throws: NetworkError.self) { try CookieJar(file: link) }
    #expect(error?.code == .cookieFileFailed)
    #expect(error?.reason == "link.json is a symbolic link")
  }

  @Test func twoJarsOfAFileMergeTheirChanges() async throws {
    let (first, second) = (try CookieJar(file: file), try CookieJar(file: file))
    func sent(by jar: CookieJar) -> Set<String> {
      Set(jar.cookies(for: url).map { "\($0.name)=\($0.value)" })
    }
    let changes = Log<CookieJar.Change>()
    second.observe { changes.append($0) }
    set("a=1; Max-Age=1000", "both=1; Max-Age=1000", "session=1", in: first)
    try await first.synchronize().value
    set("b=2; Max-Age=1000", "both=2; Max-Age=1000", in: second)
    try await second.synchronize().value
    #expect(changes.entries.contains { $0.cookie.name == "a" })
    try await first.synchronize().value
    #expect(sent(by: first) == ["a=1", "both=2", "session=1", "b=2"])
    #expect(sent(by: second) == ["a=1", "both=2", "b=2"])
    let removed = try #require(first.cookies.first { $0.name == "a" })
    first.remove(removed)
    try await first.synchronize().value
    try await second.synchronize().value
    #expect(sent(by: second) == ["both=2", "b=2"])
    #expect(changes.entries.last == .removed(removed, .removedFromFile))
  }

  @Test func aReaderAlwaysFindsACompleteFile() async throws {
    let jar = try CookieJar(file: file)
    set("a=0; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    let writer = Task {
      for number in 1...50 {
        set("a=\(number); Max-Age=1000", "b\(number)=1; Max-Age=1000", in: jar)
        try await jar.synchronize().value
      }
    }
    for _ in 0..<50 {
      #expect(try CookieJar(file: file).cookies.first?.name == "a")
    }
    try await writer.value
    #expect(try CookieJar(file: file).cookies.first?.value == "50")
  }

  @Test(arguments: [
    "x", "[]", "{}", #"{"version":1}"#, #"{"version":2,"cookies":[]}"#,
    #"{"version":1,"cookies":[{"name":"s3cret"}]}"#, #"{"version":1,"cookies":[7]}"#,
  ])
  func anInvalidFileIsAnErrorAndStays(_ content: String) async throws {
    let file = try folder.file("cookies.json", content)
    let code = failure { _ = try CookieJar(file: file) }
    #expect(code == .cookieFileFailed)
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test func invalidCookiesInAFileAreLeftOut() throws {
    let good =
      #"{"name":"a","value":"1","domain":"a.example","isHostOnly":true,"path":"/","#
      + #""expires":9e99,"isSecure":false,"isHTTPOnly":false,"sameSite":"lax"}"#
    let bad = [
      good.replacing(#""a","#, with: #""","#), good.replacing(#""1""#, with: #""1\r\n""#),
      good.replacing("a.example", with: "com").replacing("Only\":true", with: "Only\":false"),
      good.replacing(#""/""#, with: #""x""#), good.replacing("a.example", with: "A.example"),
      good.replacing(#""expires":9e99,"#, with: ""), good.replacing("9e99", with: "-9e99"),
    ]
    let file = try folder.file(
      "cookies.json",
      #"{"version":1,"cookies":[\#((bad + [good]).joined(separator: ","))]}"#)
    let cookies = try CookieJar(file: file).cookies
    #expect(cookies.map(\.name) == ["a"] && cookies.first?.value == "1")
    #expect(try #require(cookies.first?.expires) < Date(timeIntervalSinceNow: 401 * 86_400))
  }

  @Test func aFileThatCannotBeUsedIsAnError() async throws {
    try FileManager.default.createDirectory(
      at: folder.url("directory"), withIntermediateDirectories: true)
    let pipe = folder.url("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let opened = [folder.url("directory"), pipe, URL.of("https://a.example/")]
    for url in opened { #expect(failure { _ = try CookieJar(file: url) } == .cookieFileFailed) }
    let file = folder.url("blocked/cookies.json")
    let jar = try CookieJar(file: file)
    let blocker = try folder.file("blocked", "a file, not a folder")
    set("a=1; Max-Age=1000", in: jar)
    let error = await jar.synchronize().result.failure(as: NetworkError.self)
    #expect(error?.code == .cookieFileFailed && jar.cookies.count == 1)
    // The change is kept, and written when the file can be.
    try FileManager.default.removeItem(at: blocker)
    try await jar.synchronize().value
    #expect(try CookieJar(file: file).cookies.count == 1)
  }

  /// A full disk may leave one.
  @Test func anEmptyFileHasNoCookies() async throws {
    let file = try folder.file("cookies.json", "")
    let jar = try CookieJar(file: file)
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
  }

  @Test func aLeftoverOfACrashIsReplaced() async throws {
    let jar = try CookieJar(file: folder.url("cookies.json"))
    _ = try folder.file("cookies.json.new", "half a fi")
    set("a=1; Max-Age=1000", in: jar)
    try await jar.synchronize().value
    #expect(try CookieJar(file: folder.url("cookies.json")).cookies.count == 1)
  }
}
