#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import NetworkingOAuth2
  import NetworkingTransfers
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// The locks of the kernel while a request is on the network.
  ///
  /// iOS ends an app that it suspends while the app has a lock on a file of a shared folder.
  @Suite(.gated, .enabled(if: KernelLocks.areListed, "the kernel does not list its locks"))
  struct LocksDuringRequestsTests {
    private let folder = TemporaryFolder(in: TemporaryFolder.memory)
    /// The locked files and the files beside them at the time of each request.
    private let locked = Log<[String]>()
    private let present = Log<[String]>()

    /// Returns a transport that notes the locks at each request.
    private func transport(
      _ response: @escaping @Sendable (_ request: ReceivedRequest) -> Mock
    ) -> MockTransport {
      MockTransport {
        Route(nil, "/{all*}") { [folder, locked, present] request in
          locked.append(KernelLocks.names(in: folder))
          present.append(folder.names)
          return response(request)
        }
      }
    }

    private func client(_ transport: MockTransport) -> Networking<Request> {
      let client = Networking<Request>(transport: transport, configuration: .plain)
      client.baseURL = .of("https://films.example/")
      return client
    }

    @Test func noneIsHeldDuringARefresh() async throws {
      let transport = transport { _ in
        .json(["access_token": "two", "token_type": "Bearer", "expires_in": 3_600])
      }
      let url = try #require(URL(string: "https://login.example/token"))
      let store = try FileTokenStore(folder.url("tokens"))
      let client = OAuth2Client(id: "app", tokenURL: url)
      try store.setToken(
        OAuth2Token(accessToken: "one", refreshToken: "r", expires: .distantPast),
        for: TokenKey(for: client))
      let session = OAuth2Session(client, store: store, transport: transport)
      #expect(try await session.token().value.accessToken == "two")
      #expect(locked.entries == [[]])
      #expect(
        present.entries.first?.contains { $0.hasPrefix("tokens.") && $0 != "tokens.lock" } == true)
    }

    @Test func noneIsHeldDuringAReplay() async throws {
      let transport = transport { _ in .status(204) }
      let store = try OfflineStore(folder: folder.url)
      try store.add(.post("a"), baseURL: URL(string: "https://notes.example"))
      let client = client(transport)
      let report = try await store.replay { entry in client.request(entry.request) }.value
      #expect(report.delivered.count == 1)
      #expect(locked.entries == [[]])
      #expect(present.entries.first?.contains("replay.lock") == true)
      #expect(!folder.names.contains("replay.lock"))
    }

    @Test func noneIsHeldDuringADownload() async throws {
      let content = Data.pattern(100_000)
      let transport = transport { _ in
        var mock = Mock.data(content, contentType: "video/mp4")
        mock.headers["ETag"] = "\"one\""
        return mock
      }
      _ = try await client(transport).transfer(.get("film"), to: folder.url("film")).value
      #expect(locked.entries == [[]])
      #expect(present.entries == [[".film.download", ".film.download.lease"]])
      #expect(folder.names == ["film"])
    }

    @Test func noneIsHeldDuringAnUpload() async throws {
      let transport = transport { request in
        guard request.method == .post else {
          return Mock(status: 204, headers: ["Upload-Offset": "4"])
        }
        return Mock(status: 201, headers: ["Location": "/files/1"])
      }
      let file = try folder.file("film", "data")
      _ = try await client(transport).transfer(file, to: .post("files"), by: .tus()).value
      #expect(locked.entries == [[], []])
      #expect(present.entries.allSatisfy { $0.contains(".film.upload") })
      #expect(folder.names == ["film"])
    }
  }
#endif
