import CatenaSystem
import Foundation
import Networking
import Promises

extension DownloadRun {
  /// Writes a body to the file.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - file: The file.
  ///   - segment: The segment of the bytes. `nil` if the download cannot be continued.
  ///   - start: The position of the first byte.
  ///   - end: The position after the last byte. `nil` if it is not known.
  /// - Throws: The error of the body or of the file, or a contradiction.
  func receive(
    _ response: Response, _ file: PartialDownload, segment: Int?, from start: Int64, to end: Int64?
  ) async throws {
    let digest = response.hasContentCoding ? nil : ContentDigest(of: response)
    state.withLock { state in
      state.last = response
      if let digest { state.digest = digest }
    }
    var batch = Batch(position: start)
    var written = sender.scheduler.now
    do {
      try await withHold(on: response) {
        for try await piece in response.bytes {
          batch.add(piece)
          // Without an overflow, however large the range is.
          guard Int64(batch.size) <= (end ?? .max) - batch.position else {
            throw Contradiction("the body has more bytes than its range", response)
          }
          let now = sender.scheduler.now
          if batch.size >= Batch.fullSize || now - written >= Batch.interval || gate.isPaused {
            try await write(&batch, file, segment)
            written = now
          }
          try await gate.pass()
        }
      }
    } catch {
      if !(error is Contradiction) { try? await write(&batch, file, segment) }
      throw error
    }
    try await write(&batch, file, segment)
    if let end, batch.position < end {
      throw NetworkError(.connectionLost, response, "the body ended before its range")
    }
    if segment != nil, end == nil {
      let total = batch.position
      try await disk.run { try file.setTotal(total) }
    }
    // The body of any other response is the file, whose digest is compared at the end.
    if response.status == 206,
      let digest = ContentDigest(["Content-Digest"], in: response.headers)
    {
      try await compare(
        start..<batch.position, of: file, with: digest, by: "the server's Content-Digest", response)
    }
  }

  /// Runs a closure while the connection of a response follows the pauses.
  private func withHold(
    on response: Response, _ body: () async throws -> Void
  ) async throws {
    let number = gate.observe { response.setHeld($0) }
    defer { gate.removeObserver(number) }
    try await body()
  }

  /// The bytes that have been received and not yet written.
  private struct Batch {
    static let fullSize = 128 << 10
    /// The maximum time between two writes, while bytes arrive.
    static let interval = Duration.milliseconds(250)

    var position: Int64
    var pieces: [Data] = []
    var size = 0

    mutating func add(_ piece: Data) {
      pieces.append(piece)
      size += piece.count
    }
  }

  private func write(
    _ batch: inout Batch, _ file: PartialDownload, _ segment: Int?
  ) async throws {
    guard batch.size > 0 else { return }
    let full = batch
    let end = full.position + Int64(full.size)
    batch = Batch(position: end)
    try await disk.run { try file.write(full.pieces, at: full.position, of: segment) }
    // Computed in the update, so that the progress of several connections keeps its order.
    sender.control.update { $0.bytes = file.content?.received ?? end }
  }

  func report(_ file: PartialDownload) {
    guard let content = file.content else {
      return sender.control.update(restarting: true) { $0.bytes = 0 }
    }
    sender.control.update(restarting: true) { progress in
      progress.bytes = content.received
      progress.total = content.total
    }
  }

  /// Compares the digest of the complete file.
  func verify(
    _ file: PartialDownload, _ expected: ContentDigest?, _ last: Response
  ) async throws {
    guard let digest = expected ?? state.withLock({ $0.digest }) else { return }
    let source = expected == nil ? "the server's \(digest.algorithm.rawValue)" : "the SHA-256"
    try await compare(0 ..< .max, of: file, with: digest, by: source, last)
  }

  /// Compares the digest of a part of the file.
  private func compare(
    _ part: Range<Int64>, of file: PartialDownload, with digest: ContentDigest, by source: String,
    _ response: Response
  ) async throws {
    let isCancelled = CancellationFlag()
    let actual = try await withTaskCancellationHandler {
      try await disk.run { try file.hash(of: part, by: digest.algorithm) { isCancelled.isSet } }
    } onCancel: {
      isCancelled.set()
    }
    try Task.checkCancellation()
    guard actual == digest.bytes else {
      throw Contradiction("the file does not have \(source)", response, code: .digestMismatch)
    }
  }
}

/// A flag that a cancelled task sets for an operation on a queue.
private final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
