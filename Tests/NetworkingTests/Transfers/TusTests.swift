import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import NetworkingTransfers
import Promises
import TestGate
import TestSupport
import Testing

/// Uploads by the tus protocol.
@Suite(.gated)
struct TusTests {
  private let folder = TemporaryFolder()
  private let content = Data("0123456789".utf8)
  private let source: URL

  init() throws {
    source = try folder.file("film", content)
  }

  private func upload(
    _ client: Networking<Request>, _ options: ResumableUpload = .tus(pieceSize: 4),
    to request: Request = .post("files")
  ) async -> Result<Response, any Error> {
    await client.transfer(source, to: request, by: options).response.result
  }

  @Test func aFileIsSentInPiecesAndLeavesNoState() async throws {
    let server = TusServer()
    let metadata = ["filename": "ä.mp4", "empty": ""]
    let transfer = server.client().transfer(
      source, to: .post("files"), by: .tus(metadata: metadata, pieceSize: 4))
    let response = try await transfer.value
    #expect(response.status == 204 && server.content == content)
    #expect(server.lines.entries == ["POST -", "PATCH 0", "PATCH 4", "PATCH 8"])
    let creation = try #require(server.requests.entries.first)
    #expect(creation.headers["Upload-Length"] == "10")
    #expect(creation.headers["Upload-Metadata"] == "empty,filename w6QubXA0")
    #expect(server.requests.entries.allSatisfy { $0.headers["Tus-Resumable"] == "1.0.0" })
    #expect(
      server.requests.entries.last?.headers["Content-Type"] == "application/offset+octet-stream")
    #expect(folder.names == ["film"])
    #expect(transfer.currentProgress.bytes == 10 && transfer.currentProgress.total == 10)
  }

  @Test func aLostConnectionContinuesAtTheOffsetOfTheServer() async throws {
    let server = TusServer(.accept, .lose(after: 3))
    _ = try await upload(server.client(.immediate(limit: 1))).get()
    #expect(server.content == content)
    #expect(
      server.lines.entries == ["POST -", "PATCH 0", "PATCH 4", "HEAD -", "PATCH 7"])
  }

  @Test func theNextUploadContinuesAFailedOne() async throws {
    let server = TusServer(.lose(after: 3))
    let result = await upload(server.client())
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
    #expect(folder.names == [".film.upload.json", "film"])
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.url(".film.upload.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    _ = try await upload(server.client(), .tus()).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "HEAD -", "PATCH 3"])
    #expect(server.content == content && folder.names == ["film"])
  }

  @Test func aChangedFileIsANewUpload() async throws {
    let server = TusServer(.lose(after: 3))
    _ = await upload(server.client())
    let changed = Data("another file".utf8)
    try changed.write(to: source)
    _ = try await upload(server.client(), .tus()).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "POST -", "PATCH 0"])
    #expect(server.content == changed)
  }

  @Test func anotherEndpointIsANewUpload() async throws {
    let server = TusServer(.lose(after: 3))
    _ = await upload(server.client())
    _ = try await upload(
      server.client(), .tus(), to: .post("files", parameters: ["album": 2])
    ).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "POST -", "PATCH 0"])
  }

  @Test func anUploadThatTheServerNoLongerHasIsCreatedAgain() async throws {
    let server = TusServer(.lose(after: 3))
    _ = await upload(server.client())
    server.remove()
    _ = try await upload(server.client(), .tus()).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "HEAD -", "POST -", "PATCH 0"])
    #expect(server.content == content)
  }

  /// As after another process has taken over the upload.
  @Test(arguments: [HTTPMethod.head, .patch])
  func nothingIsCreatedOrSentAfterTheLeaseIsLost(_ method: HTTPMethod) async throws {
    let server = TusServer(.lose(after: 3))
    _ = await upload(server.client())
    if method == .head { server.remove() }
    let client = server.client()
    client.interceptors.append(
      RequestAdapter { [folder] request in
        if request.method == method { unlink(folder.url(".film.upload").path) }
        return request
      }, at: .hop)
    let error = await upload(client).failure(as: NetworkError.self)
    #expect(error?.code == .transferInProgress)
    let lines = ["POST -", "PATCH 0", "HEAD -"]
    #expect(server.lines.entries == (method == .head ? lines : lines + ["PATCH 3"]))
    #expect(folder.names == [".film.upload.json", "film"])
  }

  @Test func anExpiredUploadIsNotAskedFor() async throws {
    let server = TusServer(
      fields: ["Upload-Expires": "Mon, 23 Nov 2026 10:00:00 GMT"], .lose(after: 3))
    let before = Date(timeIntervalSince1970: 1_795_420_000)
    _ = await upload(server.client { $0.wallClock = { before } })
    let after = before.addingTimeInterval(365 * 24 * 3_600)
    _ = try await upload(server.client { $0.wallClock = { after } }, .tus()).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "POST -", "PATCH 0"])
  }

  @Test(arguments: [409, 460])
  func aPieceThatIsRefusedOnceIsSentAgain(_ status: Int) async throws {
    let server = TusServer(.refuse(status))
    _ = try await upload(server.client(), .tus()).get()
    #expect(server.lines.entries == ["POST -", "PATCH 0", "HEAD -", "PATCH 0"])
    #expect(server.content == content)
  }

  @Test func aPieceThatIsAlwaysRefusedEndsTheUpload() async throws {
    let server = TusServer(.refuse(460), .refuse(460), .refuse(460), .refuse(460), .refuse(460))
    let response = try await upload(server.client(), .tus()).get()
    #expect(response.status == 460)
    #expect(server.lines.entries.count { $0 == "PATCH 0" } == 4)
    #expect(folder.names == [".film.upload.json", "film"])
  }

  @Test func anotherStatusIsTheResult() async throws {
    let server = TusServer(.refuse(413))
    #expect(try await upload(server.client(), .tus()).get().status == 413)
  }

  @Test func thePiecesHaveChecksums() async throws {
    let server = TusServer()
    try Data("abc".utf8).write(to: source)
    _ = try await upload(server.client(), .tus(verifiesPieces: true)).get()
    #expect(server.lines.entries == ["OPTIONS -", "POST -", "PATCH 0"])
    #expect(
      server.requests.entries.last?.headers["Upload-Checksum"]
        == "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  }

  @Test func aServerWithOnlySHA1GetsChecksumsByIt() async throws {
    let server = TusServer(fields: ["Tus-Checksum-Algorithm": "sha1"])
    try Data("abc".utf8).write(to: source)
    _ = try await upload(server.client(), .tus(verifiesPieces: true)).get()
    #expect(
      server.requests.entries.last?.headers["Upload-Checksum"]
        == "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")
    let none = TusServer(fields: ["Tus-Checksum-Algorithm": "crc32"])
    let result = await upload(none.client(), .tus(verifiesPieces: true))
    #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
    #expect(none.lines.entries == ["OPTIONS -"] && folder.names == ["film"])
  }

  @Test func anUploadOnAnotherOriginGetsNoSecrets() async throws {
    let server = TusServer(location: "https://store.example/files/1")
    let request = Request.post("files", headers: ["Authorization": "Bearer x", "X-Plain": "y"])
    _ = try await upload(server.client(), to: request).get()
    let (creation, piece) = try (
      #require(server.requests.entries.first), #require(server.requests.entries.last)
    )
    #expect(creation.headers["Authorization"] == "Bearer x")
    #expect(piece.headers["Host"] == "store.example")
    #expect(piece.headers["Authorization"] == nil && piece.headers["X-Plain"] == "y")
  }

  @Test func theEscapesOfTheLocationAreUnchanged() async throws {
    let server = TusServer(location: "/up/a b%2F?sig=x%2By&f[id]=1", .accept, .lose(after: 0))
    _ = try await upload(server.client(.immediate(limit: 1))).get()
    #expect(server.content == content && server.requests.entries.count == 6)
    #expect(
      server.requests.entries.dropFirst().allSatisfy {
        $0.target == "/up/a%20b%2F?sig=x%2By&f%5Bid%5D=1"
      })
  }

  @Test func theParametersAreThoseOfTheCreation() async throws {
    let server = TusServer()
    _ = try await upload(server.client(), to: .post("files?a=1", parameters: ["b": 2])).get()
    #expect(server.requests.entries.count == 4)
    #expect(
      server.requests.entries.dropFirst().allSatisfy {
        !$0.target.contains("?") && ($0.headers["Content-Type"]?.contains("form") != true)
      })
  }

  @Test func anUploadWhoseLastResponseWasLostIsComplete() async throws {
    let server = TusServer(.accept, .accept, .lose(after: 2))
    _ = try await upload(server.client(.immediate(limit: 1))).get()
    #expect(server.content == content)
    #expect(
      server.lines.entries == ["POST -", "PATCH 0", "PATCH 4", "PATCH 8", "HEAD -"])
  }

  @Test func anUploadFromHTTPSToHTTPIsRefused() async throws {
    let server = TusServer(location: "http://films.example/files/1")
    let result = await upload(server.client())
    #expect(result.failure(as: NetworkError.self)?.code == .redirectRefused)
    #expect(server.lines.entries == ["POST -"] && folder.names == ["film"])
  }

  @Test func aResponseThatDoesNotFollowTheProtocolIsAnError() async throws {
    let servers = [
      TusServer(location: nil), TusServer(fields: ["Upload-Offset": "11"]),
      TusServer(fields: ["Upload-Offset": "-1"]), TusServer(fields: ["Upload-Offset": "x"]),
    ]
    for server in servers {
      let result = await upload(server.client(), .tus(stateFile: folder.url("state")))
      #expect(result.failure(as: NetworkError.self)?.code == .malformedResponse)
      try? FileManager.default.removeItem(at: folder.url("state.json"))
    }
  }

  @Test func anEmptyFileIsCreatedOnly() async throws {
    let server = TusServer()
    try Data().write(to: source)
    #expect(try await upload(server.client()).get().status == 201)
    #expect(server.lines.entries == ["POST -"] && folder.names == ["film"])
  }

  @Test func aFileThatCannotBeReadIsAnErrorBeforeTheRequest() async throws {
    let server = TusServer()
    for missing in [folder.url("none"), folder.url, .of("https://films.example/film")] {
      let result = await server.client().transfer(missing, to: .post("files"), by: .tus())
        .response.result
      #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
    }
    let invalid = await upload(server.client(), .tus(metadata: ["a key": "value"]))
    #expect(invalid.failure(as: NetworkError.self)?.code == .encodingFailed)
    #expect(server.lines.entries.isEmpty && folder.names == ["film"])
  }

  @Test func anUnfinishedUploadIsTerminated() async throws {
    let server = TusServer(.lose(after: 3))
    let client = server.client()
    #expect(try await client.discardTransfer(of: source, to: .post("files")).value == nil)
    _ = await upload(client)
    let response = try await client.discardTransfer(of: source, to: .post("files")).value
    #expect(response?.status == 204 && folder.names == ["film"])
    #expect(server.lines.entries == ["POST -", "PATCH 0", "DELETE -"])
  }
}
