import CatenaSystem
import Foundation
import Networking
import Promises

/// One upload by the tus protocol, from its creation or its stored state to the last byte.
///
/// Source: the tus resumable upload protocol 1.0.0.
struct TusRun: Sendable {
  /// The outcome of a request to the upload.
  private enum Outcome {
    /// The server has this number of bytes.
    case offset(Int64, Response)
    /// The server no longer has the upload.
    case gone(Response)
    /// The request can be repeated after a delay, from the offset that the server names.
    case repeatable(after: Duration, Response)
  }

  /// The maximum number of times in a row that a piece is repeated after a conflict, without progress,
  /// and the maximum number of uploads that are created.
  private static let repetitionLimit = 3

  private let source: URL
  private let options: ResumableUpload
  private let sender: TransferSender
  private let disk: FileQueue

  init(_ source: URL, _ options: ResumableUpload, _ sender: TransferSender) {
    self.source = source
    self.options = options
    self.sender = sender
    disk = FileQueue(sender.scheduler)
  }

  private var gate: PauseGate { sender.control.gate }

  /// Performs the upload.
  ///
  /// - Returns: The last response.
  /// - Throws: ``NetworkError``, the errors of the client's hooks, or `CancellationError`.
  func run() async throws -> Response {
    try await ClosingFiles.shared.run(leasePath) { try await perform() }
  }

  private var leasePath: String { UploadFile.leasePath(of: source, stateFile: options.stateFile) }

  private func perform() async throws -> Response {
    let (source, options) = (source, options)
    let file = try await disk.run { try UploadFile(source, stateFile: options.stateFile) }
    do {
      let (response, isComplete) = try await upload(file)
      try await disk.run { file.close(keepingState: !isComplete) }
      return response
    } catch let final as FinalResponse {
      try await disk.run { file.close(keepingState: true) }
      return final.response
    } catch {
      let isUseless = (error as? NetworkError)?.code == .encodingFailed
      try? await disk.run { file.close(keepingState: !isUseless) }
      throw error
    }
  }

  /// Ends an upload that is stored.
  ///
  /// - Returns: The response. `nil` if no upload is stored.
  func terminate() async throws -> Response? {
    try await ClosingFiles.shared.run(leasePath) { try await performTermination() }
  }

  private func performTermination() async throws -> Response? {
    let (source, options) = (source, options)
    let file = try await disk.run { try UploadFile(source, stateFile: options.stateFile) }
    var keepsState = true
    do {
      guard let content = try await disk.run({ try file.content }),
        content.resource == HiddenFile.checksum(try sender.resource())
      else {
        try await disk.run { file.close(keepingState: true) }
        return nil
      }
      let response = try await sender.send(message(.delete, content))
      keepsState = ![403, 404, 410].contains(response.status) && !response.isSuccessful
      try await disk.run { [keepsState] in file.close(keepingState: keepsState) }
      return response
    } catch {
      try? await disk.run { [keepsState] in file.close(keepingState: keepsState) }
      throw error
    }
  }

  // MARK: Steps

  /// Sends all bytes that the server does not have.
  ///
  /// - Returns: The last response, and whether the state is of no use any more.
  private func upload(_ file: UploadFile) async throws -> (Response, isComplete: Bool) {
    let resource = HiddenFile.checksum(try sender.resource())
    let length = file.version.length
    sender.control.update { $0.total = length }
    let checksum = options.verifiesPieces ? try await checksumFunction() : nil
    var content = try await disk.run { try file.content }.flatMap { isUsable($0, resource, file) }
    var (offset, creations, repetitions): (Int64?, Int, Int) = (nil, 0, 0)
    // The farthest offset of the server. The bytes that have been sent are no progress.
    var farthest: Int64 = -1
    let retries = TransferRetries(sender)
    var creation = Creation(sender.retry)
    while true {
      let pauses = gate.pauses
      do {
        guard let upload = content else {
          let response = try await create(file, creation, retries)
          // A state that is still stored is that of another endpoint.
          guard response.isSuccessful else { throw FinalResponse(response: response) }
          let created = try makeContent(response, from: creation.home, resource, file)
          try await disk.run { try file.write(created) }
          (content, offset, creations) = (created, 0, creations + 1)
          farthest = 0
          creation = Creation(sender.retry)
          if length == 0 { return (response, true) }
          continue
        }
        let known = offset
        let outcome =
          if let known {
            try await send(file, upload, from: known, checksum, retries)
          } else {
            try await askForOffset(upload, length, retries)
          }
        switch outcome {
        case .offset(let next, let response):
          if next > farthest { (farthest, repetitions) = (next, 0) }
          sender.control.update(restarting: known == nil) { $0.bytes = next }
          if next == length { return (response, true) }
          if let expires = expiry(of: response), expires != upload.expires {
            content?.expires = expires
            if let changed = content { try await disk.run { try file.write(changed) } }
          }
          offset = next
          if next == known { repetitions += 1 }
          if repetitions > Self.repetitionLimit {
            throw NetworkError(.malformedResponse, response, "the server's offset does not grow")
          }
        case .gone(let response):
          guard creations < Self.repetitionLimit else { return (response, true) }
          (content, offset) = (nil, nil)
        case .repeatable(let delay, let response):
          repetitions += 1
          guard repetitions <= Self.repetitionLimit else { return (response, false) }
          try await sender.sleep(delay)
          offset = nil
        }
      } catch {
        let request =
          if let content {
            URL(reference: content.upload).map { HTTPRequest(method: .patch, url: $0) }
          } else {
            creation.repeatableRequest(after: error)
          }
        try await retries.wait(after: error, of: request, at: farthest, pauses: pauses)
        offset = nil
      }
    }
  }

  /// Returns the stored state, if it is that of this file and of this server, and has not expired.
  private func isUsable(
    _ content: UploadFile.Content, _ resource: String, _ file: UploadFile
  ) -> UploadFile.Content? {
    let isUsable =
      content.resource == resource && content.length == file.version.length
      && content.modified == file.version.modified
      && content.expires ?? .distantFuture > sender.context.wallClock()
    return isUsable ? content : nil
  }

  /// Creates an upload.
  private func create(
    _ file: UploadFile, _ creation: Creation, _ retries: TransferRetries
  ) async throws -> Response {
    let metadata = try options.metadataField
    try await disk.run { try file.check() }
    var message = message(.post, retries: retries) { headers in
      headers["Upload-Length"] = String(file.version.length)
      headers["Upload-Metadata"] = metadata
    }
    let prepare = message.options.prepare
    message.options.prepare = { request in creation.note(try prepare?(request) ?? request) }
    return try await sender.send(message)
  }

  private func makeContent(
    _ response: Response, from home: String, _ resource: String, _ file: UploadFile
  ) throws -> UploadFile.Content {
    guard let location = response.headers["Location"],
      let url = URL(reference: location, relativeTo: response.url), Origin(url) != nil
    else {
      throw NetworkError(.malformedResponse, response, "the upload has no Location")
    }
    guard url.scheme == "https" || response.url.scheme != "https" else {
      throw NetworkError(.redirectRefused, response, "the upload leads from https to http")
    }
    return UploadFile.Content(
      resource: resource, home: home, upload: url.absoluteString, length: file.version.length,
      modified: file.version.modified, expires: expiry(of: response))
  }

  private func askForOffset(
    _ content: UploadFile.Content, _ length: Int64, _ retries: TransferRetries
  ) async throws -> Outcome {
    let response = try await sender.send(message(.head, content, retries: retries))
    if let outcome = try conflict(in: response) { return outcome }
    guard let offset = response.number("Upload-Offset"), offset <= length,
      response.number("Upload-Length") ?? length == length
    else {
      throw NetworkError(.malformedResponse, response, "the upload has another offset or length")
    }
    return .offset(offset, response)
  }

  /// Sends the next piece.
  private func send(
    _ file: UploadFile, _ content: UploadFile.Content, from offset: Int64,
    _ checksum: ContentDigest.Algorithm?, _ retries: TransferRetries
  ) async throws -> Outcome {
    let count = min(Int64(max(options.pieceSize, 1)), file.version.length - offset)
    try await disk.run { try file.check() }
    var digest: String?
    if let checksum {
      let hash = try await disk.run { try file.hash(by: checksum, from: offset, count: count) }
      digest = "\(checksum.tusName) \(hash.base64EncodedString())"
    }
    let body = body(of: file, from: offset, count: count)
    let message = message(.patch, content, body, retries: retries) { [digest] headers in
      headers["Upload-Offset"] = String(offset)
      headers["Content-Type"] = "application/offset+octet-stream"
      headers["Upload-Checksum"] = digest
    }
    let response = try await sender.send(message)
    if let outcome = try conflict(in: response) { return outcome }
    guard let next = response.number("Upload-Offset"), next >= offset, next <= offset + count else {
      throw NetworkError(.malformedResponse, response, "the upload has another offset")
    }
    return .offset(next, response)
  }

  private func body(of file: UploadFile, from offset: Int64, count: Int64) -> BodyStream {
    BodyStream(length: count) { [gate, disk] in
      let cursor = Cursor(offset, end: offset + count)
      return HeldBody(gate: gate) {
        guard let part = cursor.next(upTo: 128 << 10) else { return nil }
        return try await disk.run { try file.read(part.count, at: part.start) }
      }
    }
  }

  /// Returns the outcome of a response by which the server and the client do not agree about the
  /// upload, or `nil` for a success.
  ///
  /// - Throws: ``FinalResponse`` for any other response.
  private func conflict(in response: Response) throws -> Outcome? {
    if response.isSuccessful { return nil }
    let retryAfter =
      RetryAfter.delay(in: response.headers, now: sender.context.wallClock()) ?? .zero
    switch response.status {
    case 403, 404, 410: return .gone(response)
    // Another offset, or a wrong checksum.
    case 409 where retryAfter <= sender.retry.maximumRetryAfter,
      460 where retryAfter <= sender.retry.maximumRetryAfter:
      return .repeatable(after: retryAfter, response)
    // The server still has the request whose connection was lost.
    case 423 where retryAfter <= sender.retry.maximumRetryAfter:
      return .repeatable(after: max(retryAfter, .seconds(1)), response)
    default: throw FinalResponse(response: response)
    }
  }

  /// Returns the hash function that both sides have.
  private func checksumFunction() async throws -> ContentDigest.Algorithm {
    let response = try await sender.send(message(.options))
    guard !response.head.isTemporary else { throw FinalResponse(response: response) }
    let names = Set(
      response.headers.values(for: "Tus-Checksum-Algorithm").joined(separator: ",")
        .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() })
    for algorithm in [ContentDigest.Algorithm.sha256, .sha1] where names.contains(algorithm.tusName)
    {
      return algorithm
    }
    throw NetworkError(
      .unsupported, response, "the server verifies no checksum by SHA-256 or SHA-1")
  }

  // MARK: Requests

  /// Makes a request to the endpoint, or to the URL of the upload.
  private func message(
    _ method: HTTPMethod, _ upload: UploadFile.Content? = nil, _ body: BodyStream? = nil,
    retries: TransferRetries? = nil,
    _ change: @escaping @Sendable (inout HTTPHeaders) -> Void = { _ in }
  ) -> TransferSender.Message {
    var options = CallOptions()
    options.prepare = { request in
      var request = request
      if let home = upload?.home, Origin(request.url)?.text != home { request.withholdSecrets() }
      request.headers["Tus-Resumable"] = "1.0.0"
      change(&request.headers)
      return request
    }
    return TransferSender.Message(
      change: { request in
        var request = request
        request.method = method
        if let upload {
          request.path = RequestPath(raw: upload.upload)
          request.parameters = nil
        }
        request.contentType = nil
        request.payload = body.map { .stream($0) }
        return request
      },
      options: options, retries: retries)
  }

  private func expiry(of response: Response) -> Date? {
    response.headers["Upload-Expires"].flatMap {
      HTTPDate.parse($0, now: sender.context.wallClock())
    }
  }

  /// The creation of an upload, with all its attempts.
  private final class Creation: Sendable {
    private let policy: RetryPolicy
    private let sent = Mutex<HTTPRequest?>(nil)

    init(_ policy: RetryPolicy) {
      self.policy = policy
    }

    /// The origin that the request was sent to first.
    var home: String { sent.withLock { $0.flatMap { Origin($0.url)?.text } ?? "" } }

    /// Adds the idempotency key of the first attempt to a request, and notes the request.
    func note(_ request: HTTPRequest) -> HTTPRequest {
      var request = request
      let name = HTTPHeaders.idempotencyKeyName
      if policy.limit > 0, !request.headers.contains(name) {
        request.headers[name] = sent.withLock { $0?.headers[name] } ?? policy.idempotencyKey?()
      }
      sent.withLock { [request] in $0 = request }
      return request
    }

    /// Returns the request, if it may be repeated after an error.
    ///
    /// A second upload that stays empty is harmless. But after a lost connection the policy decides
    /// as about any request.
    func repeatableRequest(after error: any Error) -> HTTPRequest? {
      guard let sent = sent.withLock({ $0 }) else { return nil }
      let isUnprocessed =
        error is FinalResponse || (error as? NetworkError)?.code.precedesRequest ?? false
      return isUnprocessed || policy.allows(sent) ? sent : nil
    }
  }

  /// The position in a piece.
  private final class Cursor: Sendable {
    private let position: Mutex<Int64>
    private let end: Int64

    init(_ start: Int64, end: Int64) {
      position = Mutex(start)
      self.end = end
    }

    func next(upTo count: Int64) -> (start: Int64, count: Int)? {
      position.withLock { position in
        guard position < end else { return nil }
        let start = position
        position = min(position + count, end)
        return (start, Int(position - start))
      }
    }
  }
}

extension Origin {
  fileprivate var text: String { "\(scheme)://\(host):\(port)" }
}

extension Response {
  fileprivate var isSuccessful: Bool { (200...299).contains(status) }

  /// Returns the number in a header field that occurs once.
  fileprivate func number(_ name: String) -> Int64? {
    let values = headers.values(for: name)
    return values.count == 1 ? ContentRange.number(Substring(values[0])) : nil
  }
}
