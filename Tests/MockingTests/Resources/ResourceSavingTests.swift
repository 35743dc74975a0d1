import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

/// The writes of the file of a store, in virtual time.
@Suite(.gated)
struct ResourceSavingTests {
  private let folder = TemporaryFolder()
  private var file: URL { folder.url("data.json") }
  private let scheduler = TestScheduler()

  private func store() throws -> (ResourceStore, Resource<JSON>) {
    let store = ResourceStore(scheduler: scheduler)
    let resource = Resource("/a", in: store)
    try store.open(file)
    return (store, resource)
  }

  private var savedCount: Int? {
    (try? JSON(parsing: Data(contentsOf: file)))?["resources"]["/a"]["items"].array?.count
  }

  @Test func aChangeIsWrittenAfterTheDelay() async throws {
    let (store, resource) = try store()
    try resource.insert([:])
    await scheduler.advance(by: .milliseconds(199))
    #expect(savedCount == 0 && store.unsavedChangeCount == 1)
    try resource.insert([:])
    await scheduler.advance(by: .milliseconds(1))
    #expect(savedCount == 2 && store.unsavedChangeCount == 0)
  }

  @Test func theResponseAfterManyUnsavedChangesWaitsForTheWrite() async throws {
    let (store, resource) = try store()
    let server = try MockServer(routes: resource.routes())
    defer { server.stop() }
    let transport = PlatformTransport.make()
    // The time does not advance, so that no other write takes place.
    for number in 1...(3 * ResourceFile.maximumUnsavedCount) {
      let record = await transport.perform(
        HTTPRequest(
          method: .post, url: server.url.appending(path: "a"),
          headers: ["Content-Type": "application/json"], body: .data(Data("{}".utf8))))
      #expect(record.head?.status == 201)
      #expect(number - (savedCount ?? 0) <= ResourceFile.maximumUnsavedCount)
    }
    #expect((savedCount ?? 0) > 0)
    _ = store
  }

  @Test func aFailedWriteIsReportedOnceAndRepeatedUntilItSucceeds() async throws {
    let (store, resource) = try store()
    let reports = Log<String>()
    store.onSaveFailure { reports.append($0.map { "\($0)" } ?? "saved") }
    // A folder in place of the file, because root may write into every folder.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(
      at: file.appending(path: "folder"), withIntermediateDirectories: true)
    try resource.insert([:])
    await scheduler.advance(by: .milliseconds(200))
    let failure = try #require(store.saveFailure)
    #expect(failure.description.contains("data.json: cannot be written: "))
    #expect(reports.entries == ["\(failure)"])
    // The pauses are 0.4, 0.8 and 1.6 seconds. Responses do not wait.
    for _ in 0..<ResourceFile.maximumUnsavedCount { try resource.insert([:]) }
    #expect(!store.isBehind)
    await scheduler.advance(by: .milliseconds(1_300))
    #expect(reports.entries.count == 1)
    #expect(throws: failure) { try store.flush() }
    try FileManager.default.removeItem(at: file)
    await scheduler.advance(by: .milliseconds(1_499))
    #expect(savedCount == nil && store.saveFailure == failure)
    await scheduler.advance(by: .milliseconds(1))
    #expect(savedCount == ResourceFile.maximumUnsavedCount + 1)
    #expect(store.saveFailure == nil && store.unsavedChangeCount == 0)
    #expect(reports.entries == ["\(failure)", "saved"])
    // The next change is written after the usual delay.
    try resource.insert([:])
    await scheduler.advance(by: .milliseconds(200))
    #expect(savedCount == ResourceFile.maximumUnsavedCount + 2)
  }
}
