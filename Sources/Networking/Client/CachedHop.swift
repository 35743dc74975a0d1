import Foundation
import Promises

/// A hop that a ``CacheStage`` handles.
struct CachedHop: Sendable {
  let stage: CacheStage
  /// The exchange, without the fields that the cache adds.
  let exchange: Exchange
  let query: CacheQuery
  let next: Interceptor.Next
  /// Whether no caller waits for the response.
  var isInBackground = false

  /// Returns the hop with a state of its own, whose response goes to memory only.
  func inBackground() -> CachedHop {
    var exchange = exchange
    exchange.state = CallState()
    exchange.state.begin(by: stage.scheduler)
    exchange.ownDestination = BodyDestination(
      maximumBodySize: exchange.destination.maximumBodySize,
      timeLimit: exchange.destination.timeLimit, scheduler: stage.scheduler)
    return CachedHop(
      stage: stage, exchange: exchange, query: query, next: next, isInBackground: true)
  }

  /// Reads the record on disk, and performs the decision about it.
  func read(from disk: DiskCacheStore) -> NetworkPromise {
    let (found, resolver) = Promise<CacheRecord?>.pending(on: .inline)
    disk.perform(query.key, awaitedBy: stage.scheduler) { [cache = stage.cache] access in
      let record = access?.read()
      if let record, let memory = cache.memory {
        memory.update(record.key) { known in
          for response in record.responses {
            guard case .data = response.body, response.byteCount <= memory.maximumResponseSize,
              !known.responses.contains(where: { $0.selector == response.selector })
            else { continue }
            _ = known.insert(response)
          }
        }
      }
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
    case .miss(byDirective: false): return .rejected(CacheStage.notCached(exchange.request))
    case .miss(byDirective: true):
      exchange.events?.serveFromCache(.cache)
      return .fulfilled(
        Response(
          HTTPResponseHead(status: 504), .memory(Data()), to: exchange.request,
          from: Response.Provenance(source: .cache)))
    case .serve(let position, let source): return serve(stored[position], source)
    case .serveAndRefresh(let position):
      stage.refresh(stored[position], for: self)
      return serve(stored[position], .stale(.revalidating))
    case .validate(let position):
      // The response to HEAD has no body, so it cannot be the response to a later request.
      return query.method == .head
        ? fetch(updating: stored[position]) : validate(stored[position])
    }
  }

  // MARK: Requests

  /// Sends the request, and stores the response.
  ///
  /// - Parameter head: The stored response that the response to a HEAD request is compared with.
  /// - Returns: A promise of the response.
  func fetch(updating head: StoredResponse? = nil) -> NetworkPromise {
    let sent = sending(nil)
    let (start, requestTime) = (stage.cache.invalidationCount, stage.now)
    return next(sent).map { response in
      if let head {
        update(head, by: response, since: start, requestTime: requestTime)
      } else {
        store(response, since: start, requestTime: requestTime, replacing: nil)
      }
      return response
    }
  }

  /// Sends the request with the validators of a stored response.
  func validate(_ stored: StoredResponse) -> NetworkPromise {
    let sent = sending(stored.rules)
    let (start, requestTime) = (stage.cache.invalidationCount, stage.now)
    return next(sent).followed { result in
      switch result {
      case .success(let response) where response.status == 304 && stored.rules.hasValidator:
        guard CacheValidation.confirms(response.head, stored.rules) else {
          // The server has confirmed a response that is not stored.
          exchange.reportResend(after: result)
          return fetch()
        }
        let merged = CacheValidation.merged(
          stored, with: response.head, requestTime: requestTime, responseTime: stage.now)
        if merged.rules.directives.noStore {
          stage.cache.remove(stored, of: query.key, awaitedBy: stage.scheduler)
        } else {
          stage.cache.update(
            stored, to: merged, for: query.key, since: start, awaitedBy: stage.scheduler)
        }
        return serve(merged, .revalidated, metrics: response.metrics)
      case .success(let response):
        if CacheRules.errorStatuses.contains(response.status),
          let reason = CacheRules.staleReason(
            query, stored.rules, isOffline: false, at: stage.now)
        {
          return serve(stored, .stale(reason), metrics: response.metrics)
        }
        store(response, since: start, requestTime: requestTime, replacing: stored)
        return nil
      case .failure(let error as NetworkError) where error.code != .cancelled:
        return CacheRules.staleReason(
          query, stored.rules, isOffline: error.code.isNetworkUnavailable, at: stage.now
        ).map { serve(stored, .stale($0)) }
      case .failure: return nil
      }
    }
  }

  /// Returns the exchange with the fields of a policy and a validation.
  private func sending(_ rules: StoredResponse.Rules?) -> Exchange {
    var sent = exchange
    if let rules { CacheValidation.add(rules, to: &sent.request.headers) }
    if !sent.request.headers.contains("Cache-Control") {
      switch query.policy {
      case .reload: sent.request.headers["Cache-Control"] = "no-cache"
      case .revalidate: sent.request.headers["Cache-Control"] = "max-age=0"
      default: break
      }
    }
    if !exchange.destination.isToMemory, query.method == .get {
      var destination = exchange.destination
      destination.copy = CacheCopy(
        stage.cache, query,
        credentials: { [stage, credentials = exchange.credentials] in
          stage.credentialsDigest(credentials, $0)
        }, awaitedBy: stage.scheduler, wallClock: { [stage] in stage.now })
      sent.ownDestination = destination
    }
    return sent
  }

  // MARK: Responses

  /// Stores a response in memory, or removes the response that it supersedes.
  private func store(
    _ response: Response, since start: Int, requestTime: Date, replacing stored: StoredResponse?
  ) {
    guard query.method == .get, query.policy != .noStore else { return }
    let now = stage.now
    guard case .memory(let data) = response.content, exchange.destination.isToMemory else { return }
    // The body of a redirect is truncated.
    let isTruncated = (300...399).contains(response.status) && data.count >= 1 << 20
    guard !isTruncated, CacheRules.isStorable(response.head, to: query, at: now),
      let credentials = stage.credentialsDigest(exchange.credentials, response.request),
      let selector = CacheDigest.selector(
        of: response.headers, to: response.request.headers, credentials: credentials)
    else {
      if let stored, !CacheRules.errorStatuses.contains(response.status) {
        stage.cache.remove(stored, of: query.key, awaitedBy: stage.scheduler)
      }
      return
    }
    var head = response.head
    head.headers = CacheValidation.storable(head.headers)
    stage.cache.store(
      StoredResponse(
        head, requestTime: requestTime, responseTime: now, for: selector, body: .data(data)),
      for: query.key, since: start, awaitedBy: stage.scheduler)
  }

  /// Updates a stored response by the response to a HEAD request, or removes it.
  private func update(
    _ stored: StoredResponse, by response: Response, since start: Int, requestTime: Date
  ) {
    guard response.status == 200, stored.head.status == 200 else { return }
    if CacheValidation.confirms(byHead: response.head, stored) {
      let merged = CacheValidation.merged(
        stored, with: response.head, requestTime: requestTime, responseTime: stage.now)
      stage.cache.update(
        stored, to: merged, for: query.key, since: start, awaitedBy: stage.scheduler)
    } else {
      stage.cache.remove(stored, of: query.key, awaitedBy: stage.scheduler)
    }
  }

  /// Delivers a stored response.
  ///
  /// If its file is missing or has changed, the request is sent.
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
      head: CacheValidation.served(stored, age: age),
      body: query.method == .head || isInBackground ? .data(Data()) : stored.body,
      provenance: Response.Provenance(
        source: source, age: .seconds(min(age, Double(CacheControl.maximumSeconds))),
        storedAt: stored.responseTime),
      request: exchange.request, metrics: metrics, scheduler: stage.scheduler)
    if let limit = exchange.destination.maximumBodySize, exchange.destination.isToMemory,
      served.body.count > limit
    {
      return fetch()
    }
    let events = exchange.events
    // Fast path: no file is read or written.
    if let response = served.inMemory(exchange.destination) {
      events?.serveFromCache(source)
      return .fulfilled(response)
    }
    return served.delivered(to: exchange.destination).then(on: .inline) { response in
      guard let response else {
        stage.cache.remove(stored, of: query.key, awaitedBy: stage.scheduler)
        if query.policy == .onlyCache {
          return .rejected(CacheStage.notCached(exchange.request))
        }
        return fetch()
      }
      events?.serveFromCache(source)
      return .fulfilled(response)
    }
  }
}
