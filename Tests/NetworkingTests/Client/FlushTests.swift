import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// What has been done when `flush()` returns.
///
/// Each test is repeated, because a race would not occur each time.
@Suite(.gated)
struct FlushTests {
  private static let repetitions = 0..<20

  private static func client(
    _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    let transport = FakeTransport { _ in
      .response(200, ["Cache-Control": "max-age=86400", "Set-Cookie": "a=b; Max-Age=86400"], "x")
    }
    var configuration = NetworkingConfiguration.plain
    change(&configuration)
    return Networking<Request>(transport: transport, configuration: configuration)
  }

  private static let endpoint = Request.get("https://api.example.com/a")

  @Test(arguments: repetitions)
  func loggersAndMonitorsHaveAllEvents(_: Int) async throws {
    let (lines, events, onMain) = (Log<String>(), Log<NetworkEvent>(), Log<String>())
    // The logger is behind until the last response has arrived.
    let gate = DispatchSemaphore(value: 0)
    let client = Self.client {
      $0.logging = LoggingConfiguration(
        .info,
        to: ClosureLogger { entry in
          gate.wait()
          lines.append(entry.description)
        })
    }
    client.addMonitor { events.append($0) }
    await MainActor.run {
      _ = client.addMonitor { @MainActor event in if event.isFinal { onMain.append("\(event)") } }
    }
    for _ in 1...5 { _ = try await client.request(Self.endpoint).value }
    for _ in 1...10 { gate.signal() }
    await client.flush()
    #expect(lines.entries.count == 10)
    #expect(events.entries.count { $0.isFinal } == 5)
    #expect(onMain.entries.count == 5)
  }

  @Test(arguments: repetitions)
  func responsesAndCookiesAreOnDisk(_: Int) async throws {
    let folder = TemporaryFolder()
    let (cacheFolder, file) = (folder.url("cache"), folder.url("cookies"))
    let jar = try CookieJar(file: file)
    let client = Self.client {
      $0.caching.storage = .cache(HTTPCache(folder: cacheFolder))
      $0.cookies = .jar(jar)
    }
    _ = try await client.request(Self.endpoint).value
    await client.flush()
    #expect(await HTTPCache(folder: cacheFolder).entries().count == 1)
    #expect(try CookieJar(file: file).cookies.map(\.name) == ["a"])
  }

  @Test func aClientWithoutFilesAndMonitorsIsFlushedAtOnce() async {
    await Self.client().flush()
  }

  @Test func aRemovedMonitorIsNotAwaited() async throws {
    let client = Self.client()
    let registration = client.addMonitor { _ in }
    _ = try await client.request(Self.endpoint).value
    registration.remove()
    await client.flush()
  }
}
