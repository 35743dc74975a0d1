import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated, .serialized)
struct OfflinePlacesTests {
  private enum PrivateAPI {}

  @Test func theStoreKeyIsTheTypeName() {
    #expect(
      OfflineStore.key(ofType: String(reflecting: NotesAPI.self)) == "NetworkingTests.NotesAPI")
    #expect(
      OfflineStore.key(ofType: String(reflecting: PrivateAPI.self))
        == "NetworkingTests.OfflinePlacesTests.PrivateAPI")
  }

  @Test func charactersInvalidInFileNamesAreEncoded() throws {
    #expect(try OfflineStore.folder(key: "A<B>/..").lastPathComponent == "A%3CB%3E%2F..")
    #expect(try OfflineStore.folder(key: "..").lastPathComponent == "%2E.")
    #expect(try OfflineStore.folder(key: "a").path.hasSuffix("/Catena/Offline/a"))
    let error = #expect(throws: NetworkError.self) { try OfflineStore.folder(key: "") }
    #expect(error?.reason == "the store's key is empty")
  }

  @Test func aClientWithAMockProviderHasATemporaryStoreOfItsOwn() async throws {
    let provider = MockProvider<NotesAPI> { _ in .failure(.notConnectedToInternet) }
    let (one, other) = (Networking(mockProvider: provider), Networking(mockProvider: provider))
    let error = await one.request(.add("a")).result.failure(as: NetworkError.self)
    #expect(error?.isStoredOffline == true)
    #expect(try one.offlineStore.count == 1 && other.offlineStore.count == 0)
    let temporary = FileManager.default.temporaryDirectory.path
    #expect(try one.offlineStore.folder.path.hasPrefix(temporary))
  }

  #if os(Linux)
    private static func storeExists() throws -> Bool {
      FileManager.default.fileExists(
        atPath: try OfflineStore.folder(key: "NetworkingTests.NotesAPI").path)
    }

    /// Runs in a separate process whose environment can be changed.
    @Test func theDefaultStoreIsInTheDataFolderAndPersists() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        setenv("XDG_DATA_HOME", folder.url.path, 1)
        let server = SwitchableServer()
        do {
          let client = Networking<NotesAPI>(transport: server.transport)
          #expect(try !Self.storeExists())
          let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
          #expect(error?.isStoredOffline == true)
          #expect(try client.offlineStore.folder.path.hasPrefix(folder.url.path))
          #expect(try Self.storeExists())
        }
        server.behavior = .responds(200)
        let next = Networking<NotesAPI>(transport: server.transport)
        let report = try await next.replay().value
        #expect(report.delivered.count == 1)
        withExtendedLifetime(folder) {}
      }
    }

    @Test func anUnavailableFolderIsAnErrorOfTheRequest() async {
      await #expect(processExitsWith: .success) {
        setenv("XDG_DATA_HOME", "/dev/null/nowhere", 1)
        let client = Networking<NotesAPI>(transport: SwitchableServer().transport)
        let error = await client.request(.add("a")).result.failure(as: NetworkError.self)
        #expect(error?.code == .offlineStoreFailed && error?.isStoredOffline == false)
        #expect(
          error?.reason?.hasSuffix("the request was to be stored, because there is no network")
            == true)
      }
    }

  #endif

  #if os(Linux) || os(macOS)
    /// A full disk, as in `OfflineDiskTests`.
    @Test func aFullDiskIsAnErrorOfTheRequestAndLeavesNoPartialFile() async {
      await #expect(processExitsWith: .success) {
        let temporary = TemporaryStore()
        var configuration = NetworkingConfiguration()
        configuration.offline = .store(try temporary.open())
        let client = Networking<NotesAPI>(
          transport: SwitchableServer().transport, configuration: configuration)
        _ = await client.request(.add("small")).result
        #expect(ProcessResources.limitFileSize(to: 4_096))
        let before = try temporary.contents
        let large = String(repeating: "large", count: 2_000)
        let error = await client.request(.add(large)).result.failure(as: NetworkError.self)
        #expect(error?.code == .offlineStoreFailed && error?.isStoredOffline == false)
        #expect((error?.underlying as? POSIXError)?.code == .EFBIG)
        #expect(try temporary.contents == before)
        #expect(try client.offlineStore.count == 1)
      }
    }
  #endif
}
