#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// nginx as the origin, with the entity tags and dates that it makes of files.
  @Suite(.gated, .enabled(if: NginxServer.isAvailable))
  struct CacheNginxTests {
    @Test func theSecondRequestIsA304OnTheWireAndA200ForTheCaller() async throws {
      let (folder, reserved) = (TemporaryFolder(), try ReservedPort())
      let path = folder.url.path
      let file = try folder.file("page.txt", "first")
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "\($0)_temp_path \(path)/\($0);"
      }
      let configuration = """
        daemon off; master_process off; pid \(path)/pid; error_log stderr notice;
        events { }
        http {
          access_log off; \(temporary.joined(separator: " "))
          server {
            listen 127.0.0.1:\(reserved.port) reuseport; root \(path);
            add_header Cache-Control no-cache;
          }
        }
        """
      let nginx = try ChildProcess(
        try #require(NginxServer.tool),
        [
          "-p", path, "-e", "stderr", "-c",
          try folder.file("nginx.conf", configuration).path,
        ])
      // nginx logs this line when it listens.
      _ = try #require(await nginx.errorLines.first { $0.contains("getrlimit") })
      var settings = NetworkingConfiguration.plain
      let disk = HTTPCache(folder: folder.url("cache"), memory: nil)
      settings.caching.storage = .cache(disk)
      let monitor = RecordingMonitor()
      settings.monitors = [monitor]
      let client = Networking<Request>(
        transport: PlatformTransport.make(), configuration: settings)
      client.baseURL = LoopbackSocket.url("http", Int(reserved.port))
      client.callbackContext = .inline

      func get() async throws -> Response {
        let response = try await client.request(.get("page.txt")).value
        await disk.flush()
        return response
      }
      let first = try await get()
      #expect(first.source == .network && first.data == Data("first".utf8))
      #expect(first.headers.contains("ETag") && first.headers.contains("Last-Modified"))
      let second = try await get()
      #expect(second.source == .revalidated && second.status == 200)
      #expect(second.data == Data("first".utf8))
      try Data("another".utf8).write(to: file)
      let third = try await get()
      #expect(third.source == .network && third.data == Data("another".utf8))
      #expect(try await get().source == .revalidated)
      let statuses = await monitor.events(ofCalls: 4).compactMap { event -> Int? in
        if case .head(let head) = event.kind { head.status } else { nil }
      }
      #expect(statuses == [200, 304, 200, 304])
      nginx.signal(SIGTERM)
      _ = await nginx.end
      withExtendedLifetime(reserved) {}
    }
  }
#endif
