import MockingOAuth2
import NetworkingOAuth2

#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Processes that share a token file, and processes that are killed while they change one.
  @Suite(.gated)
  struct TokenProcessTests {
    private let folder = TemporaryFolder(in: TemporaryFolder.memory)
    private let key = TokenKey(clientID: "app")

    private var file: URL { folder.url("tokens") }

    private func worker(_ arguments: String..., input: ChildProcess.Input = .empty) throws
      -> ChildProcess
    {
      try ChildProcess(worker: "oauth2-worker", arguments, input: input)
    }

    @Test func fourProcessesRefreshOnce() async throws {
      let login = try MockAuthorizationServer()
      let session = OAuth2Session(login.client("app"), store: try FileTokenStore(file))
      var token = try await session.signIn(.password(username: "ann", password: "ann-password"))
        .value
      token.expires = token.issued
      try FileTokenStore(file).setToken(token, for: TokenKey(for: session.client))
      login.fail(.delay(.milliseconds(300)))
      let workers = try (0..<4).map { _ in
        try worker(
          "refresh", file.path, "\(login.issuer)/token", "25", input: .open)
      }
      for worker in workers { #expect(await worker.lines.first(1) == ["ready"]) }
      for worker in workers { worker.send(Data("go\n".utf8)) }
      var tokens: [String] = []
      for worker in workers {
        let end = await worker.end
        #expect(end.status == .exited(0), "\(end.errors)")
        tokens += end.lines.dropFirst()
      }
      #expect(tokens.count == 100 && Set(tokens).count == 1)
      #expect(login.accepts(accessToken: tokens.first ?? ""))
      let counts = login.counts
      #expect(counts.refreshes == 1 && counts.reused == 0, "\(counts)")
    }

    /// The number of processes to kill, at least; the environment variable `TOKEN_KILLS` sets more.
    private static let kills = Int(ProcessInfo.processInfo.environment["TOKEN_KILLS"] ?? "") ?? 8

    /// The process is killed before each step of storing a token.
    @Test(arguments: [[], ["passphrase"]])
    func aKilledProcessLeavesTheOldTokenOrTheNewOne(passphrase: [String]) async throws {
      let encryption = passphrase.first.map { TokenEncryptionKey.passphrase($0, iterations: 1_000) }
      let store = try FileTokenStore(file, encryptedWith: encryption)
      var (first, kills) = (1, 0)
      try store.setToken(OAuth2Token(accessToken: "access-0", refreshToken: "refresh-0"), for: key)
      var round = 0
      while round < 16 || kills < Self.kills {
        let step = round % 16 + 1
        round += 1
        let arguments = ["store", file.path, "\(first)", "2", "\(step)"] + passphrase
        let end = try await ChildProcess(worker: "oauth2-worker", arguments).end
        kills += end.status == .signalled(SIGKILL) ? 1 : 0
        let found = try #require(try store.token(for: key), "after step \(step)")
        let number = try #require(Int(found.accessToken.dropFirst("access-".count)))
        let stored = end.lines.last.flatMap { Int($0.dropFirst("stored ".count)) } ?? first - 1
        // A token whose storing was reported is there; the next one may be.
        #expect(number == stored || number == stored + 1, "after step \(step)")
        #expect(found.refreshToken == "refresh-\(number)")
        first = number + 1
      }
      #expect(kills >= Self.kills)
    }

    @Test func theLockOfAKilledProcessIsFreeAtOnce() async throws {
      let end = try await worker("lock", file.path).end
      #expect(end.status == .signalled(SIGKILL), "\(end.errors)")
      #expect(folder.names.count == 1)
      #expect(try FileTokenStore(file).tryLock(key) != nil)
    }

    @Test func aKilledMigrationLosesNoToken() async throws {
      let (old, new) = (folder.url("old"), folder.url("new"))
      let token = OAuth2Token(accessToken: "a", refreshToken: "r")
      var ended = false
      for step in 1...40 where !ended {
        if try FileTokenStore(old).token(for: key) == nil {
          try FileTokenStore(old).setToken(token, for: key)
          try FileTokenStore(new).setToken(nil, for: key)
        }
        let end = try await worker("migrate", old.path, new.path, "\(step)").end
        ended = end.status == .exited(0)
        let found = try [FileTokenStore(new), FileTokenStore(old)].compactMap {
          try $0.token(for: key)?.refreshToken
        }
        #expect(found.contains("r"), "after step \(step)")
      }
      #expect(ended)
      #expect(try FileTokenStore(new).token(for: key)?.refreshToken == "r")
      #expect(try FileTokenStore(old).token(for: key) == nil)
    }
  }
#endif
