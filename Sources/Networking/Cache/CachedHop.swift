import Foundation
import Promises

/// A hop that a ``CacheStage`` handles.
struct CachedHop: Sendable {
  let stage: CacheStage
  /// The exchange, without the fields that the cache adds.
  private(set) var exchange: Exchange
  let query: CacheQuery
  let next: Interceptor.Next
  /// Whether no caller waits for the response.
  private(set) var isInBackground = false

  /// The stored responses of the URL.
  var url: CachedURL { CachedURL(cache: stage.cache, key: query.key, scheduler: stage.scheduler) }

  /// The destination of the response.
  var destination: BodyDestination { isInBackground ? .memory : exchange.call.options.destination }

  /// Returns the hop with a state of its own, whose response goes to memory only.
  func inBackground() -> CachedHop {
    var hop = self
    hop.isInBackground = true
    hop.exchange.parts.value.state = CallState()
    hop.exchange.state.begin(by: stage.scheduler)
    // More than this is not stored.
    let limit = max(
      stage.cache.memory?.maximumResponseSize ?? 0,
      stage.cache.diskStore?.maximumResponseSize ?? 0)
    var settings = exchange.reception.settings
    settings.maximumBodySize = min(settings.maximumBodySize ?? limit, limit)
    settings.followsRedirects = false
    hop.exchange.parts.value.reception = Reception(settings: settings)
    hop.exchange.parts.value.discards = nil
    return hop
  }

  /// Reads the record on disk, and performs the decision about it.
  func read(from disk: DiskCacheStore) -> NetworkPromise {
    let (found, resolver) = Promise<CacheRecord?>.pending(on: .inline)
    let memory = stage.cache.memory
    // Before the disk is asked, so that no later change is missed.
    let start = memory?.changeCount ?? 0
    disk.read(query.key, awaitedBy: stage.scheduler) { record in
      if let record { memory?.insert(record, since: start) }
      resolver.fulfill(record)
    }
    return found.then(on: .inline) { perform(nil, $0) }
  }

  /// Performs a decision about the stored responses of the URL.
  ///
  /// - Parameters:
  ///   - decision: The decision. `nil` decides here.
  ///   - record: The stored responses.
  /// - Returns: A promise of the response.
  func perform(_ decision: CacheDecision?, _ record: CacheRecord?) -> NetworkPromise {
    let stored = record?.responses ?? []
    switch decision ?? CacheRules.decide(query, stored, at: stage.now) {
    case .send: return fetch()
    case .miss(let byDirective): return missed(byDirective: byDirective)
    case .serve(let position, let source): return serve(stored[position], source)
    case .serveAndRefresh(let position):
      stage.refresh(stored[position], for: self)
      return serve(stored[position], .stale(.revalidating))
    case .validate(let position): return renew(stored[position])
    }
  }

  // MARK: Requests

  /// Sends the request, and stores the response.
  func fetch() -> NetworkPromise {
    let sent = sending(nil)
    return next(sent.exchange).map { response in
      if query.method == .head {
        // With a policy that does not look up stored responses.
        removeResponses(thatDifferFrom: response)
      } else {
        store(response, to: sent)
      }
      return response
    }
  }

  /// Asks the server whether a stored response is still current.
  ///
  /// The response to HEAD has no body, so it cannot be the response to a later request. It only updates
  /// the stored response.
  func renew(_ stored: StoredResponse) -> NetworkPromise {
    let isHead = query.method == .head
    let sent = sending(isHead ? nil : stored.rules)
    return next(sent.exchange).followed { result in
      if let stale = staleResponse(stored, after: result) { return stale }
      guard case .success(let response) = result else { return nil }
      guard !isHead, response.status == 304, stored.rules.hasValidator else {
        if isHead { update(stored, by: response, to: sent) } else { store(response, to: sent) }
        return nil
      }
      guard CacheValidation.confirms(response.head, stored.rules) else {
        // The server has confirmed a response that is not stored.
        exchange.reportResend(after: result)
        return fetch()
      }
      let merged = merge(response, into: stored, sent)
      return serve(merged, .revalidated, metrics: response.metrics)
    }
  }

  /// Serves a stored response after the server has failed, if the rules allow it.
  private func staleResponse(
    _ stored: StoredResponse, after result: Result<Response, any Error>
  ) -> NetworkPromise? {
    let isOffline: Bool
    var metrics = TransportMetrics()
    switch result {
    case .success(let response) where CacheRules.errorStatuses.contains(response.status):
      isOffline = false
      metrics = response.metrics
    case .failure(let error as NetworkError)
    // The server has failed, or cannot be reached. A certificate that is not trusted, or a response that
    // is refused by a setting of the client, is no such failure: an earlier response would hide it.
    // Source: RFC 5861 section 4.
    where error.code.isNetworkUnavailable || error.code == .malformedResponse:
      // The circuit of a server opens because it fails.
      isOffline = error.code.isNetworkUnavailable && error.code != .circuitOpen
    default: return nil
    }
    return CacheRules.staleReason(query, stored.rules, isOffline: isOffline, at: stage.now)
      .map { serve(stored, .stale($0), metrics: metrics) }
  }

  /// A request that is about to be sent.
  struct SentRequest: Sendable {
    /// The exchange with the fields of a policy and a validation.
    var exchange: Exchange
    let time: Date
    /// The number of invalidations before the request is sent.
    let invalidationCount: Int
  }

  private func sending(_ rules: StoredResponse.Rules?) -> SentRequest {
    var sent = SentRequest(
      exchange: exchange, time: stage.now, invalidationCount: stage.cache.invalidationCount)
    if let rules { CacheValidation.add(rules, to: &sent.exchange.request.headers) }
    if !sent.exchange.request.headers.contains("Cache-Control") {
      switch query.policy {
      case .reload: sent.exchange.request.headers["Cache-Control"] = "no-cache"
      case .revalidate: sent.exchange.request.headers["Cache-Control"] = "max-age=0"
      default: break
      }
    }
    if !destination.isMemory, query.method == .get {
      let reception = sent.exchange.reception
      sent.exchange.parts.value.reception = Reception(
        options: reception.options, settings: reception.settings, copy: CacheCopy(self, sent))
    }
    return sent
  }

  // MARK: Responses

  /// Returns the response to store for a head, without its body, or `nil` if it is not stored.
  func storable(
    _ head: HTTPResponseHead, to request: HTTPRequest, sentAt requestTime: Date
  ) -> StoredResponse? {
    let now = stage.now
    guard CacheRules.isStorable(head, to: query, at: now),
      let selector = stage.selector(of: head.headers, to: request, for: query, in: exchange)
    else { return nil }
    var head = head
    head.headers = CacheValidation.storable(head.headers)
    return StoredResponse(
      head, requestTime: requestTime, responseTime: now, for: selector, body: .data(Data()))
  }

  /// Removes the stored responses after the server has sent one that is not stored.
  func removeResponses(supersededBy head: HTTPResponseHead) {
    guard query.method == .get, query.policy != .noStore,
      // A response that shows that earlier ones are out of date.
      (200...399).contains(head.status) && head.status != 304 || [404, 410].contains(head.status)
    else { return }
    url.remove { query.matches($0) }
  }

  /// Stores a response in memory, or removes the responses that it supersedes.
  private func store(_ response: Response, to sent: SentRequest) {
    guard query.method == .get, query.policy != .noStore, destination.isMemory,
      case .memory(let data) = response.content
    else { return }
    guard !response.isTruncated,
      let stored = storable(response.head, to: response.request, sentAt: sent.time)
    else { return removeResponses(supersededBy: response.head) }
    url.store(stored.with(.data(data)), since: sent.invalidationCount)
  }

  /// Updates a stored response by the fields of a 304, or of a response to HEAD.
  ///
  /// It is removed if it must not be stored any more.
  ///
  /// - Returns: The updated response.
  private func merge(
    _ response: Response, into stored: StoredResponse, _ sent: SentRequest
  ) -> StoredResponse {
    let merged = CacheValidation.merged(
      stored, with: response.head, requestTime: sent.time, responseTime: stage.now)
    // The response to a request with `no-store` changes nothing that is stored.
    if query.policy == .noStore || query.directives.noStore { return merged }
    if !merged.rules.directives.noStore,
      // The fields that the response varies on may have changed.
      let selector = stage.selector(
        of: merged.head.headers, to: response.request, for: query, in: exchange)
    {
      var updated = merged
      updated.selector = selector
      url.update(stored, to: updated, since: sent.invalidationCount)
    } else {
      url.remove(stored)
    }
    return merged
  }

  /// Updates a stored response by the response to a HEAD request, or removes it.
  private func update(_ stored: StoredResponse, by response: Response, to sent: SentRequest) {
    guard response.status == 200, stored.head.status == 200 else { return }
    if CacheValidation.confirms(byHead: response.head, stored) {
      _ = merge(response, into: stored, sent)
    } else {
      url.remove(stored)
    }
  }

  /// Removes the stored responses that a response to a HEAD request shows to be out of date.
  ///
  /// Source: RFC 9111 section 4.3.5.
  private func removeResponses(thatDifferFrom response: Response) {
    guard response.status == 200, query.policy != .noStore, !query.directives.noStore else {
      return
    }
    url.remove { stored in
      query.matches(stored) && stored.head.status == 200
        && !CacheValidation.confirms(byHead: response.head, stored)
    }
  }

  /// Responds to a request that must not be sent, and for which there is no stored response.
  ///
  /// - Parameter byDirective: Whether a directive of the request forbids to send it. Otherwise its
  ///   policy does.
  /// - Returns: A promise of a 504, or one that is rejected.
  private func missed(byDirective: Bool) -> NetworkPromise {
    guard byDirective else { return .rejected(CacheStage.notCached(exchange.request)) }
    exchange.events?.serveFromCache(exchange.request, .cache)
    return .fulfilled(
      Response(
        HTTPResponseHead(status: 504), .memory(Data()), to: exchange.request,
        from: Response.Provenance(source: .cache)))
  }

  /// Delivers a stored response.
  ///
  /// If its file is missing, has changed, or cannot be read now, the request is sent.
  ///
  /// - Parameters:
  ///   - stored: The response.
  ///   - source: The source that the caller sees.
  ///   - metrics: The metrics of the validation.
  /// - Returns: A promise of the response.
  private func serve(
    _ stored: StoredResponse, _ source: Response.Source,
    metrics: TransportMetrics = TransportMetrics()
  ) -> NetworkPromise {
    let age = stored.rules.age(at: stage.now)
    let served = ServedResponse(
      hop: self, head: CacheValidation.served(stored, age: age),
      body: query.method == .head || isInBackground ? .data(Data()) : stored.body,
      provenance: Response.Provenance(
        source: source, age: .seconds(min(age, Double(CacheControl.maximumSeconds))),
        storedAt: stored.responseTime),
      metrics: metrics)
    if destination.isMemory, let limit = exchange.call.reception.settings.maximumBodySize,
      served.body.count > limit
    {
      return .rejected(
        NetworkError(
          .bodyTooLarge, "the stored body has \(served.body.count) bytes, the limit is \(limit)",
          request: .init(exchange.request), response: served.head))
    }
    let events = exchange.events
    // Fast path: no file is read or written.
    if let response = served.inMemory {
      events?.serveFromCache(exchange.request, source)
      return .fulfilled(response)
    }
    return served.delivered().then(on: .inline) { outcome in
      switch outcome {
      case .delivered(let response):
        events?.serveFromCache(exchange.request, source)
        return .fulfilled(response)
      case .changed:
        url.remove(stored)
        return perform(nil, nil)
      case .unreadable: return perform(nil, nil)
      }
    }
  }
}
