import Foundation
import Mocking
import MockingRecordings
import MockingResources
import Networking
import NetworkingTracing

extension JournalDetail {
  /// The progress of a request.
  private enum Progress: String {
    case received
    case answering
    case done
    case aborted
  }

  private var progress: Progress {
    if let response = exchange?.response { return response.isComplete ? .done : .aborted }
    if exchange?.respondedAt != nil { return .answering }
    return entry.outcome == nil ? .received : .done
  }

  private var status: Int? {
    if let status = exchange?.response?.status { return status }
    if case .response(let status)? = entry.outcome { return status }
    return nil
  }

  /// Returns the milliseconds from the start of the request to a time, or `null`.
  private func milliseconds(until time: Duration?) -> JSON {
    guard let time else { return .null }
    return .double(((time - entry.request.time) / .microseconds(1)).rounded() / 1_000)
  }

  /// Returns the properties for a list of requests.
  func summary(_ backend: AdminBackend) -> JSON {
    .dictionary(summaryMembers(backend))
  }

  private func summaryMembers(_ backend: AdminBackend) -> [String: JSON] {
    let request = entry.request
    return [
      "id": .int(entry.number),
      "time": .string(HAR.Entry.timestamp(backend.date(of: request.time))),
      "method": .string(request.method.rawValue), "url": .string(AdminMask.url(request.target)),
      "path": .string(
        AdminMask.url(request.path.text)),
      "status": status.map { .int($0) } ?? .null,
      "duration": milliseconds(until: exchange?.endedAt),
      "bytesIn": .int(request.bodyByteCount),
      "bytesOut": .int(exchange?.response?.bodyByteCount ?? 0),
      "stub": entry.route.map { .string($0.rawValue) } ?? .null,
      "state": .string(progress.rawValue),
      "trace": TraceParent(request.headers).map {
        ["id": .string("\($0.traceID)"), "parent": .string("\($0.spanID)")]
      } ?? .null,
    ]
  }

  /// Returns all properties, with the routes that are nearest to a request without a route, or those that
  /// were not chosen although they are more specific.
  func record(_ backend: AdminBackend) -> JSON {
    let request = entry.request
    var members = summaryMembers(backend)
    let body = request.decodedBody
    let isDecoded = body != request.body
    var bodyHeaders = request.headers
    if isDecoded { bodyHeaders.remove("Content-Encoding") }
    members["request"] = [
      "headers": AdminMask.headers(request.headers),
      "body": AdminMask.body(body, of: isDecoded ? body.count : request.bodyByteCount, bodyHeaders),
    ]
    let response = exchange?.response
    members["response"] =
      response.map { response in
        [
          "headers": AdminMask.headers(response.headers),
          "body": AdminMask.body(response.body, of: response.bodyByteCount, response.headers),
        ]
      } ?? .null
    members["timings"] = [
      "received": .double(0), "matched": milliseconds(until: exchange?.respondedAt),
      "delayed": milliseconds(until: exchange?.delayedUntil),
      "sent": milliseconds(until: exchange?.endedAt),
    ]
    let chosen = entry.route.flatMap { backend.routes[$0] }
    let misses =
      entry.route == nil
      ? backend.routes.nearMisses(for: request)
      : chosen.map { missed(by: $0, in: backend.routes) } ?? []
    members["nearMisses"] = .array(misses.map { $0.record(chosen, in: backend.routes) })
    return .dictionary(members)
  }
}

extension JournalDetail {
  /// Returns the routes that are more specific than the chosen one, but were not chosen.
  ///
  /// If a fallback for all paths below a prefix was chosen, they may have another path. Otherwise they
  /// have the path of the request, and were tried before the chosen route or have more conditions.
  fileprivate func missed(by chosen: MockRoutes.Entry, in routes: MockRoutes) -> [NearMiss] {
    let isFallback = chosen.hasRest
    let misses = routes.nearMisses(for: entry.request, count: 6).filter { miss in
      guard miss.id != chosen.id, let route = routes[miss.id], route.isEnabled else { return false }
      let aspects = miss.differences.map(\.aspect)
      if aspects.contains("path") { return isFallback && !route.hasRest && miss.distance <= 7 }
      guard !aspects.contains("method") else { return isFallback && !route.hasRest }
      return isFallback && !route.hasRest
        || (route.route.rank, chosen.position) > (chosen.route.rank, route.position)
        || route.route.pattern.conditions.count > chosen.route.pattern.conditions.count
    }
    return Array(misses.prefix(3))
  }
}

extension MockRoutes.Entry {
  /// Whether the route is for all paths below a prefix.
  fileprivate var hasRest: Bool { (try? PathTemplate(route.template))?.hasRest ?? false }
}

extension NearMiss {
  /// Returns the properties for the admin API.
  ///
  /// - Parameters:
  ///   - chosen: The route that has responded.
  ///   - routes: The routes.
  /// - Returns: The properties, with the reason why a route that matches was not chosen.
  fileprivate func record(_ chosen: MockRoutes.Entry?, in routes: MockRoutes) -> JSON {
    var reason: String?
    if differences.isEmpty, let chosen, let route = routes[id] {
      let (own, other) = (route.route.rank, chosen.route.rank)
      reason =
        own < other
        ? "It matches, but the stub that responded has the priority \(other), and this one \(own)."
        : "It matches, but the stub that responded stands before it. Give it a higher priority, or "
          + "move it up."
    }
    return [
      "reason": reason.map { .string($0) } ?? .null,
      "stub": .string(id.rawValue), "method": method.map { .string($0.rawValue) } ?? .null,
      "path": .string(template),
      "conditions": .array(
        matched.map { text in
          ["name": .string(text), "matched": true, "expected": .null, "actual": .null]
        } + differences.map(\.record)),
    ]
  }
}

extension RequestDifference {
  /// The properties for the admin API.
  var record: JSON {
    [
      "name": .string(aspect), "matched": false, "expected": .string(expected),
      "actual": actual == "none" ? .null : .string(actual),
    ]
  }
}

extension ResourceStore {
  /// The properties of the open file for the admin API.
  var fileRecord: JSON? {
    file.map { file in
      [
        "file": .string(file.relativePath), "unsaved": .int(unsavedChangeCount),
        "failure": saveFailure.map { .string($0.description) } ?? .null,
      ]
    }
  }
}

extension MockRoutes.Entry {
  /// Returns the properties for the admin API.
  ///
  /// - Parameters:
  ///   - adjustment: The delay and the fault.
  ///   - origin: Whether requests to the API have added or changed the route.
  /// - Returns: The properties.
  func record(_ adjustment: ResponseAdjustment, origin: String) -> JSON {
    [
      "id": .string(id.rawValue), "origin": .string(origin),
      "method": route.method.map { .string($0.rawValue) } ?? .null,
      "path": .string(route.template),
      "description": .string(ReportFormatter.bounded(route.description)),
      "priority": .int(route.rank),
      "source": route.source.map { source in
        [
          "file": .string(source.file), "line": .int(source.line), "column": .int(source.column),
        ]
      } ?? .null,
      "hits": .int(hits), "enabled": .bool(isEnabled),
      "delay": adjustment.delay?.json ?? .null, "fault": adjustment.fault?.json ?? .null,
      "definition": route.definition.map(AdminMask.definition) ?? .null,
      "resource": route.resources.path.map { .string($0) } ?? .null,
    ]
  }
}

extension WebhookDelivery {
  /// Returns the properties for the admin API.
  func record(_ backend: AdminBackend) -> JSON {
    var reason: String?
    if case .refused(let text) = outcome { reason = text }
    return [
      "id": .int(number), "cause": .string(cause), "method": .string(method.rawValue),
      "url": .string(String(url.prefix(4_096))), "outcome": .string(outcome.name),
      "reason": reason.map { .string($0) } ?? .null,
      "attempts": .array(
        attempts.map { attempt in
          [
            "time": .string(HAR.Entry.timestamp(backend.date(of: attempt.time))),
            "status": attempt.status.map { .int($0) } ?? .null,
            "failure": attempt.failure.map { .string("\($0)") } ?? .null,
          ]
        }),
    ]
  }
}
