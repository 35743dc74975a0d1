import Foundation
import Mocking
import MockingRecordings
import MockingResources
import Networking

/// The masking of texts and values that leave the admin API.
enum AdminMask {
  /// Keeps the form of bodies, so that JSON stays JSON of the same types.
  private static let redactor = Redactor(purpose: .recording)
  /// The maximum number of bytes of a body that are sent.
  private static let bodyLimit = 256 << 10
  /// The number of characters at the end of a truncated body that may be a part of a secret.
  private static let cutLength = 1_024

  /// Masks the secrets in a JSON value.
  static func json(_ json: JSON) -> JSON {
    guard let data = try? JSON.array([json]).data() else { return .string(Redactor.mask) }
    let text = redactor.maskedBody(
      String(decoding: data, as: UTF8.self), mimeType: "application/json")
    guard let masked = try? JSON(parsing: Data(text.utf8)) else { return .string(Redactor.mask) }
    return masked[0]
  }

  /// Returns a value in which masked values that are unchanged are replaced by the original ones.
  ///
  /// A client may thus send a value back that it has received.
  ///
  /// - Parameters:
  ///   - new: The value from the client.
  ///   - old: The value before it was masked.
  /// - Returns: The value to store.
  static func restored(_ new: JSON, from old: JSON) -> JSON {
    restored(new, old, json(old))
  }

  private static func restored(_ new: JSON, _ old: JSON, _ masked: JSON) -> JSON {
    if new == masked { return old }
    switch (new, old, masked) {
    case (.dictionary(let values), .dictionary(let old), .dictionary(let masked)):
      return .dictionary(
        Dictionary(
          uniqueKeysWithValues: values.map { name, value in
            guard let old = old[name], let masked = masked[name] else { return (name, value) }
            return (name, restored(value, old, masked))
          }))
    case (.array(let values), .array(let old), .array(let masked)):
      return .array(
        values.enumerated().map { index, value in
          guard old.indices.contains(index), masked.indices.contains(index) else { return value }
          return restored(value, old[index], masked[index])
        })
    default: return new
    }
  }

  static func url(_ text: String) -> String {
    String(Redactor.standard.maskedURL(text).prefix(4_096))
  }

  static func headers(_ headers: HTTPHeaders) -> JSON {
    .array(
      headers.map { field in
        [
          "name": .string(field.name),
          "value": .string(Redactor.standard.maskedFieldValue(field.value, name: field.name)),
        ]
      })
  }

  /// Returns a body as text, or in base64 if it is no text.
  ///
  /// - Parameters:
  ///   - data: The body, or its beginning.
  ///   - byteCount: The size of the whole body.
  ///   - headers: The header fields of the message.
  /// - Returns: The type, the size and the content.
  static func body(_ data: Data, of byteCount: Int, _ headers: HTTPHeaders) -> JSON {
    let type = headers["Content-Type"]
    let kept = data.prefix(bodyLimit)
    let isTruncated = kept.count < byteCount
    var members: [String: JSON] = [
      "type": type.map { .string($0) } ?? .null, "size": .int(byteCount),
      "truncated": .bool(isTruncated), "text": .null, "base64": .null,
    ]
    guard !kept.isEmpty else { return .dictionary(members) }
    // The beginning of a text may end inside a character.
    let text = (0..<(isTruncated ? 4 : 1)).lazy.compactMap { dropped in
      String(validating: kept.dropLast(dropped), as: UTF8.self)
    }.first
    if let text, !text.utf8.contains(0), !headers.contains("Content-Encoding") {
      let masked = redactor.maskedBody(text, mimeType: type ?? "text/plain")
      members["text"] = .string(
        isTruncated ? String(masked.dropLast(min(cutLength, masked.count / 2))) : masked)
    } else {
      let masked = type.flatMap { redactor.maskedMultipart(Data(kept), mimeType: $0) }
      members["base64"] = .string((masked ?? Data(kept)).base64EncodedString())
    }
    return .dictionary(members)
  }
}

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
    ]
  }

  /// Returns all properties, with the routes that are nearest to a request without a route.
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
    let misses = entry.route == nil ? backend.routes.nearMisses(for: request) : []
    members["nearMisses"] = .array(misses.map(\.record))
    return .dictionary(members)
  }
}

extension NearMiss {
  /// The properties for the admin API.
  fileprivate var record: JSON {
    [
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
      "definition": route.definition.map(AdminMask.json) ?? .null,
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
