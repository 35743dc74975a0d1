import Foundation
import Promises
import Synchronization

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

  private struct State {
    var response: (head: HTTPResponseHead, selector: CacheSelector, time: Date)?
    var data = Data()
    var count = 0
    var backlog = 0
    var isDiscarded = false
    var writer: BodyFileWriter?
  }

  private let cache: HTTPCache
  private let query: CacheQuery
  private let requestTime: Date
  private let invalidationCount: Int
  private let selector: @Sendable (HTTPHeaders, HTTPRequest) -> CacheSelector?
  private let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date
  private let disk: DiskCacheStore?
  private let state = Mutex(State())

  /// Creates a copy of the response to a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - cache: The cache.
  ///   - query: The request.
  ///   - selector: A closure that returns the requests that a response is for.
  ///   - scheduler: The scheduler that waits for the disk.
  ///   - wallClock: The source of time.
  init(
    _ cache: HTTPCache, _ query: CacheQuery,
    selector: @escaping @Sendable (_ headers: HTTPHeaders, _ sent: HTTPRequest) -> CacheSelector?,
    awaitedBy scheduler: any Scheduler, wallClock: @escaping @Sendable () -> Date
  ) {
    self.cache = cache
    self.query = query
    self.selector = selector
    self.scheduler = scheduler
    self.wallClock = wallClock
    requestTime = wallClock()
    invalidationCount = cache.invalidationCount
    disk = cache.disk(for: query.key)
  }

  private var limit: Int { disk?.maximumResponseSize ?? cache.memory?.maximumResponseSize ?? 0 }

  func begin(_ head: HTTPResponseHead, to request: HTTPRequest) {
    let now = wallClock()
    guard CacheRules.isStorable(head, to: query, at: now),
      let selector = selector(head.headers, request)
    else {
      return cache.removeResponses(to: query, supersededBy: head, awaitedBy: scheduler)
    }
    let stored = HTTPResponseHead(
      status: head.status, version: head.version, headers: CacheValidation.storable(head.headers))
    state.withLock { $0.response = (stored, selector, now) }
  }

  func write(_ bytes: Data) {
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
    disk?.perform(query.key, awaitedBy: scheduler) { access in
      guard let access, self.state.withLock({ !$0.isDiscarded }) else { return }
      do {
        let writer = try self.state.withLock { $0.writer } ?? access.makeBodyWriter()
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
    if isDiscarded {
      return cache.removeResponses(
        to: query, supersededBy: response.head, awaitedBy: scheduler)
    }
    @Sendable func stored(_ body: StoredBody) -> StoredResponse {
      StoredResponse(
        response.head, requestTime: requestTime, responseTime: response.time,
        for: response.selector, body: body)
    }
    guard let disk, state.withLock({ $0.count }) > 0 else {
      return cache.store(
        stored(.data(data)), for: query.key, since: invalidationCount, awaitedBy: scheduler)
    }
    cache.store(
      { name in
        let writer = self.state.withLock { $0.isDiscarded ? nil : $0.writer.take() }
        return try writer.map { stored(.file(try $0.finish(name))) }
      }, response.selector, for: query.key, on: disk, since: invalidationCount,
      awaitedBy: scheduler)
  }

  func abandon() {
    // The writer removes its file when it is released. Its queue releases it if it is writing.
    let writer = state.withLock { state in
      state.isDiscarded = true
      state.data = Data()
      return state.writer.take()
    }
    guard let writer, let disk else { return }
    disk.perform(query.key, awaitedBy: scheduler) { _ in withExtendedLifetime(writer) {} }
  }
}
