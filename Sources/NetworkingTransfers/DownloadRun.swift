import CatenaSystem
import Foundation
import Networking
import Promises

/// The options of a download that can be paused.
struct DownloadOptions: Sendable {
  var target: URL
  var isResumable = false
  var replaces = true
  /// The number of ranges at a time.
  var connections = 1
  var sha256: String?

  /// The expected digest of the file.
  ///
  /// `nil` if the caller has none.
  var digest: ContentDigest? {
    get throws {
      guard let sha256 else { return nil }
      guard let digest = ContentDigest(sha256: sha256) else {
        throw NetworkError(.encodingFailed, "sha256 must have 64 hexadecimal digits")
      }
      return digest
    }
  }
}

/// One download that can be paused, from the first request to the complete file.
///
/// A download has two parts. `begin` requests the whole file, or its first MiB if there are several
/// connections, and writes the state. `fetch` requests the missing bytes of a segment until it is
/// complete. A file on the server that has changed leads back to `begin`.
final class DownloadRun: Sendable {
  /// The partial bytes are of no use any more, so the download starts from the beginning.
  private struct Restart: Error {
    let reason: String
  }

  /// A response that contradicts the download, so that its partial file is removed.
  struct Contradiction: Error {
    let error: NetworkError

    init(
      _ reason: String, _ response: Response, code: NetworkError.Code = .malformedResponse
    ) {
      error = NetworkError(code, response, reason)
    }
  }

  struct State {
    /// The last wire request.
    var sent: HTTPRequest?
    /// The last response with a part of the file.
    var last: Response?
    /// The digest of the file by the server.
    var digest: ContentDigest?
    /// Whether the first request asks for a range.
    var probes: Bool
    /// Whether the server sends a content coding although the request accepts none.
    ///
    /// The request then accepts those of the transport, which decodes the body.
    var acceptsCodings = false
  }

  private static let probeSize: Int64 = 1 << 20
  private static let smallestSegment: Int64 = 1 << 20
  /// The maximum number of times that the download starts from the beginning.
  private static let restartLimit = 3

  private let options: DownloadOptions
  let sender: TransferSender
  let disk: FileQueue
  let state: Mutex<State>

  init(_ options: DownloadOptions, _ sender: TransferSender) {
    self.options = options
    self.sender = sender
    disk = FileQueue(sender.scheduler)
    state = Mutex(State(probes: options.connections > 1))
  }

  var gate: PauseGate { sender.control.gate }

  /// Performs the download.
  ///
  /// - Returns: The response, with the file if its status is 2xx.
  /// - Throws: ``NetworkError``, the errors of the client's hooks, or `CancellationError`.
  func run() async throws -> Response {
    guard options.isResumable else { return try await perform() }
    return try await ClosingFiles.shared.run(PartialDownload.path(beside: options.target)) {
      try await self.perform()
    }
  }

  private func perform() async throws -> Response {
    let digest = try options.digest
    let (target, isResumable) = (
      FileTarget(url: options.target, replaces: options.replaces), options.isResumable
    )
    let file = try await disk.run { try PartialDownload(target, isResumable: isResumable) }
    do {
      let last = try await transfer(file)
      try await verify(file, digest, last)
      try Task.checkCancellation()
      try await disk.run { try file.commit() }
      return Response(
        last.head, file: options.target, to: last.request, last.metrics, trailers: last.trailers)
    } catch {
      let isContradiction = error is Contradiction
      try? await disk.run { isContradiction ? file.discard() : file.close() }
      return try result(of: error)
    }
  }

  /// Returns the response of a download that did not end with a file, or throws its error.
  private func result(of error: any Error) throws -> Response {
    if let final = error as? FinalResponse { return final.response }
    guard var failure = (error as? Contradiction)?.error ?? error as? NetworkError else {
      throw error
    }
    if failure.request == nil, let sent = state.withLock({ $0.sent }) {
      failure.request = NetworkError.RequestSummary(sent)
    }
    throw failure
  }

  /// Receives all missing bytes.
  ///
  /// - Returns: The last response.
  private func transfer(_ file: PartialDownload) async throws -> Response {
    let retries = TransferRetries(sender)
    var restarts = 0
    report(file)
    while true {
      let pauses = gate.pauses
      do {
        if file.content == nil {
          do {
            try await begin(file, retries)
          } catch {
            try await retries.wait(
              after: error, of: state.withLock { $0.sent }, at: sender.control.progress.bytes,
              pauses: pauses)
            if file.content == nil { continue }
          }
        }
        try await fetchRest(of: file)
        if state.withLock({ $0.last == nil }) {
          // An earlier download has received all bytes. The last one is requested again, to learn
          // whether the file on the server is the same.
          try await disk.run { try file.dropLastByte() }
          report(file)
          try await fetchRest(of: file)
        }
        guard let last = state.withLock({ $0.last }) else {
          throw Restart(reason: "there is no response")
        }
        return last
      } catch let restart as Restart {
        restarts += 1
        guard restarts <= Self.restartLimit else {
          let error = NetworkError(
            .malformedResponse, "the download started again too often: \(restart.reason)")
          try? await disk.run { file.discard() }
          throw error
        }
        try await disk.run { try file.start(nil) }
        report(file)
      }
    }
  }

  // MARK: Requests

  /// Sends a request, and notes the wire request.
  private func send(
    repeatedBy retries: TransferRetries,
    _ change: @escaping @Sendable (inout HTTPRequest) throws -> Void
  ) async throws -> Response {
    var options = CallOptions(to: .stream)
    options.prepare = { [self] request in
      var request = request
      try change(&request)
      state.withLock { $0.sent = request }
      return request
    }
    return try await sender.send(.init(options: options, retries: retries))
  }

  /// Requests the file from its beginning.
  private func begin(_ file: PartialDownload, _ retries: TransferRetries) async throws {
    let (probes, acceptsCodings) = state.withLock { ($0.probes, $0.acceptsCodings) }
    let response = try await send(repeatedBy: retries) { request in
      request.headers["Accept-Encoding"] = acceptsCodings ? nil : "identity"
      if probes { request.headers["Range"] = "bytes=0-\(Self.probeSize - 1)" }
    }
    // The first byte of an empty file does not exist.
    if probes, response.status == 416 { throw stopProbing("the server refused the first range") }
    guard (200...299).contains(response.status) else { throw FinalResponse(response: response) }
    try await receiveFromStart(response, file, probes: probes)
  }

  /// Receives the body of a response with the beginning of the file.
  private func receiveFromStart(
    _ response: Response, _ file: PartialDownload, probes: Bool
  ) async throws {
    let (resource, acceptsCodings) = state.withLock {
      ($0.sent?.url.absoluteString ?? "", $0.acceptsCodings)
    }
    if response.hasContentCoding, response.status != 206, !acceptsCodings {
      state.withLock { $0.acceptsCodings = true }
      throw stopProbing("the server sends a content coding only")
    }
    let validator =
      response.hasContentCoding
      ? nil : StrongValidator(response.headers, now: sender.context.wallClock())
    var (total, end) = (response.declaredLength, response.declaredLength)
    var segments = [PartialDownload.Segment(start: 0, end: end)]
    if response.status == 206 {
      guard probes, let range = response.contentRange, let bytes = range.bytes,
        bytes.lowerBound == 0, bytes.upperBound <= Self.probeSize, !response.hasContentCoding
      else { throw Contradiction("the range is not the requested one", response) }
      guard validator != nil, range.total != nil else {
        throw stopProbing("the ranges have no strong validator")
      }
      (total, end) = (range.total, bytes.upperBound)
      segments = Self.segments(of: range.total ?? 0, after: bytes.upperBound, options.connections)
    }
    let content = validator.map {
      PartialDownload.Content(
        resource: HiddenFile.checksum(resource), validator: $0, total: total, segments: segments)
    }
    try await disk.run { try file.start(content) }
    state.withLock { $0.digest = nil }
    sender.control.update(restarting: true) { progress in
      progress.bytes = 0
      progress.total = total
    }
    try await receive(response, file, segment: content.map { _ in 0 }, from: 0, to: end)
  }

  private func stopProbing(_ reason: String) -> Restart {
    state.withLock { $0.probes = false }
    return Restart(reason: reason)
  }

  /// Divides the rest of a file.
  private static func segments(
    of total: Int64, after first: Int64, _ connections: Int
  ) -> [PartialDownload.Segment] {
    var segments = [PartialDownload.Segment(start: 0, end: first)]
    let rest = total - first
    guard rest > 0 else { return segments }
    let count = max(1, min(Int64(connections), rest / smallestSegment))
    for number in 0..<count {
      // Without an overflow, however large the total is.
      let start = first + rest / count * number
      let end = number == count - 1 ? total : first + rest / count * (number + 1)
      segments.append(PartialDownload.Segment(start: start, end: end))
    }
    return segments
  }

  /// Requests the missing bytes of all segments.
  private func fetchRest(of file: PartialDownload) async throws {
    var missing =
      file.content.map { content in
        content.segments.indices.filter { !content.segments[$0].isComplete }[...]
      } ?? []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in missing.prefix(options.connections) {
        group.addTask { try await self.fetch(index, of: file) }
      }
      missing = missing.dropFirst(options.connections)
      while try await group.next() != nil {
        guard let index = missing.popFirst() else { continue }
        group.addTask { try await self.fetch(index, of: file) }
      }
    }
  }

  /// Requests the missing bytes of a segment until it is complete.
  private func fetch(_ index: Int, of file: PartialDownload) async throws {
    let retries = TransferRetries(sender)
    while let content = file.content, content.segments.indices.contains(index),
      case let segment = content.segments[index], !segment.isComplete
    {
      let pauses = gate.pauses
      do {
        try await fetch(segment, index, content, file, retries)
      } catch {
        try await retries.wait(
          after: error, of: state.withLock { $0.sent },
          at: file.content?.segments[index].received ?? 0, pauses: pauses)
        // The response was the whole file, without a validator.
        if file.content == nil { throw Restart(reason: "the connection was lost") }
      }
    }
  }

  private func fetch(
    _ segment: PartialDownload.Segment, _ index: Int, _ content: PartialDownload.Content,
    _ file: PartialDownload, _ retries: TransferRetries
  ) async throws {
    let isOnly = content.segments.count == 1
    let response = try await send(repeatedBy: retries) { request in
      guard HiddenFile.checksum(request.url.absoluteString) == content.resource else {
        throw Restart(reason: "the partial file is that of another URL")
      }
      let last = isOnly ? "" : segment.end.map { String($0 - 1) } ?? ""
      request.headers["Accept-Encoding"] = "identity"
      request.headers["Range"] = "bytes=\(segment.next)-\(last)"
      request.headers["If-Range"] = content.validator.fieldValue
    }
    switch response.status {
    case 206:
      guard content.validator.allows(response.headers) else {
        throw Restart(reason: "the file on the server has changed")
      }
      guard let range = response.contentRange, let bytes = range.bytes,
        bytes.lowerBound == segment.next, bytes.upperBound <= segment.end ?? .max,
        content.total == nil || range.total == nil || range.total == content.total,
        !response.hasContentCoding
      else { throw Contradiction("the range is not the requested one", response) }
      if content.total == nil, let total = range.total {
        try await disk.run { try file.setTotal(total) }
        report(file)
      }
      try await receive(
        response, file, segment: index, from: segment.next, to: bytes.upperBound)
    case 200, 203:
      // The file has changed, or the server ignores ranges. The body is the whole file.
      guard isOnly else { throw Restart(reason: "the file on the server has changed") }
      try await receiveFromStart(response, file, probes: false)
    case 201...299:
      throw NetworkError(.malformedResponse, response, "the response is neither a range nor a file")
    // Without the range, because the same request would have the same response.
    case 304: throw Restart(reason: "the server does not send the range")
    case 416:
      // The connection was lost after the last byte of a file of unknown length.
      guard content.total == nil, response.contentRange?.total == segment.next,
        content.validator.allows(response.headers)
      else { throw Restart(reason: "the server has no such range") }
      try await disk.run { try file.setTotal(segment.next) }
      report(file)
    default: throw FinalResponse(response: response)
    }
  }
}
