import CatenaSystem
import Foundation
import Promises

/// A copy of a response that is stored while its body goes to a file or a stream.
///
///     waiting --begin--> collecting --end--> stored
///        |                   |
///        +--- not storable, too large, failure, slow disk --> discarded
///
/// With a store on disk the body is written to a file piece by piece. Otherwise it is collected in
/// memory.
final class CacheCopy: ResponseCopy {
  /// The limit for the bytes that wait for the disk.
  ///
  /// Beyond it the copy is discarded, so that a slow disk does not fill the memory.
  private static let backlogLimit = 8 << 20

  private struct State: ~Copyable {
    /// The response without its body.
    var response: StoredResponse?
    var data = Data()
    var count = 0
    var backlog = 0
    var isDiscarded = false
    var writer: BodyFileWriter?
  }

  private let hop: CachedHop
  private let sent: CachedHop.SentRequest
  private let disk: DiskCacheStore?
  private let state = Mutex(State())

  /// Creates a copy of the response to a request that is about to be sent.
  init(_ hop: CachedHop, _ sent: CachedHop.SentRequest) {
    self.hop = hop
    self.sent = sent
    disk = hop.url.disk
  }

  func begin(_ head: HTTPResponseHead, to request: HTTPRequest) {
    guard let response = hop.storable(head, to: request, sentAt: sent.time) else {
      return hop.removeResponses(supersededBy: head)
    }
    state.withLock { $0.response = response }
  }

  func write(_ bytes: Data) {
    let limit = disk?.maximumResponseSize ?? hop.stage.cache.memory?.maximumResponseSize ?? 0
    let writesToDisk = state.withLock { state in
      guard state.response != nil, !state.isDiscarded else { return false }
      state.count += bytes.count
      state.backlog += bytes.count
      if state.count > limit || (disk != nil && state.backlog > Self.backlogLimit) {
        state.isDiscarded = true
        state.data = Data()
        return false
      }
      if disk == nil { state.data.append(bytes) }
      return disk != nil
    }
    guard writesToDisk else { return }
    disk?.perform(hop.query.key, awaitedBy: hop.stage.scheduler) { access in
      guard self.state.withLock({ !$0.isDiscarded }) else { return }
      do {
        let writer = try self.state.withLock { $0.writer } ?? BodyFileWriter(access.store.files)
        try writer.write(bytes)
        self.state.withLock { state in
          state.writer = writer
          state.backlog -= bytes.count
        }
      } catch {
        access.countFailure()
        self.abandon()
      }
    }
  }

  func end() {
    let (response, data, isDiscarded) = state.withLock { ($0.response, $0.data, $0.isDiscarded) }
    guard let response else { return }
    if isDiscarded { return hop.removeResponses(supersededBy: response.head) }
    guard disk != nil, state.withLock({ $0.count }) > 0 else {
      return hop.url.store(response.with(.data(data)), since: sent.invalidationCount)
    }
    hop.url.store(response.selector, since: sent.invalidationCount) { name in
      let writer = self.state.withLock { $0.isDiscarded ? nil : $0.writer.take() }
      return try writer.map { response.with(.file(try $0.finish(name))) }
    }
  }

  func abandon() {
    // The writer removes its file when it is released. Its queue releases it if it is writing.
    let writer = state.withLock { state in
      state.isDiscarded = true
      state.data = Data()
      return state.writer.take()
    }
    guard let writer, let disk else { return }
    disk.perform(hop.query.key, awaitedBy: hop.stage.scheduler) { _ in
      withExtendedLifetime(writer) {}
    }
  }
}
