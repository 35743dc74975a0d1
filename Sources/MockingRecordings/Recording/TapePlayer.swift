import CatenaSystem
import Foundation
import Mocking
import Networking

/// A player that replays recorded responses.
///
/// Opening a recording takes linear time and masks nothing. A request that is equal to a recorded one
/// is found by an index; only other requests are masked and compared with several entries.
final class TapePlayer: Restartable {
  /// The result of a request.
  enum Playback {
    /// A recorded exchange.
    case entry(HAR.Entry)
    /// The request was not recorded, or all its responses have been replayed and must not be repeated.
    case unmatched(reason: String)
    /// The recorded response cannot be replayed.
    case unplayable(reason: String)
  }

  /// The exchanges whose method, URL and other parts are equal.
  private struct Group {
    let key: MatchKey
    /// The indices of the variants.
    var variants: Range<Int>
    /// Whether the bodies are compared too, because they differ.
    let comparesBodies: Bool
    /// Whether the key contains a masked value.
    let isMasked: Bool
  }

  /// Equal requests.
  private struct Variant {
    /// The key with the body, if bodies are compared.
    let key: MatchKey
    /// The indices in ``entries``, in ascending order.
    var indices: [Int]
  }

  /// The recorded exchanges that can be replayed.
  let entries: [HAR.Entry]
  /// The entries that cannot be replayed.
  let warnings: [ArchiveWarning]
  private let file: URL
  private let options: Tape.Options
  private let groups: [Group]
  private let variants: [Variant]
  private let groupIndices: [MatchKey: Int]
  private let groupsByShape: [MatchKey.Shape: [Int]]
  /// The index in the file of each of ``entries``.
  private let numbers: [Int]
  /// Whether the body of a request can be needed to find its response.
  let needsBody: Bool
  /// The number of requests for each variant.
  private let counts: Mutex<[Int]>

  init(_ har: HAR, _ file: URL, _ options: Tape.Options) {
    self.file = file
    self.options = options
    (entries, numbers, warnings) = Self.playable(in: har)
    var groups: [Group] = []
    var variants: [Variant] = []
    var keys: [MatchKey] = []
    var members: [MatchKey: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      let key = MatchKey(entry.request, options.matching)
      if members[key, default: []].isEmpty { keys.append(key) }
      members[key, default: []].append(index)
    }
    let comparesDifferingBodies = options.matching.contains(.differingBody)
    for key in keys {
      let indices = members[key] ?? []
      let start = variants.count
      if comparesDifferingBodies, indices.count > 1 {
        var known: [MatchKey: Int] = [:]
        for index in indices {
          var bodyKey = key
          bodyKey.addBody(of: entries[index].request)
          if let position = known[bodyKey] {
            variants[position].indices.append(index)
          } else {
            known[bodyKey] = variants.count
            variants.append(Variant(key: bodyKey, indices: [index]))
          }
        }
      }
      let comparesBodies = variants.count > start + 1
      if !comparesBodies {
        variants.removeSubrange(start...)
        variants.append(Variant(key: key, indices: indices))
      }
      groups.append(
        Group(
          key: key, variants: start..<variants.count, comparesBodies: comparesBodies,
          isMasked: key.isMasked))
    }
    // A program has sent a request again after a failure.
    let hasFailed = entries.map { $0.unknownFailure != nil }
    for index in variants.indices {
      let complete = variants[index].indices.filter { !hasFailed[$0] }
      if !complete.isEmpty { variants[index].indices = complete }
    }
    self.groups = groups
    self.variants = variants
    groupIndices = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.key, $0) })
    groupsByShape = Dictionary(grouping: groups.indices) { groups[$0].key.shape }
    counts = Mutex(Array(repeating: 0, count: variants.count))
    needsBody = options.matching.alwaysReadsBody || groups.contains(where: \.comparesBodies)
  }

  /// Returns the entries that can be replayed, with their indices in the file, and warnings about the
  /// others.
  private static func playable(in har: HAR) -> ([HAR.Entry], [Int], [ArchiveWarning]) {
    let omitted = Set(har.warnings.filter(\.isOmission).compactMap(\.entry))
    var (entries, numbers, warnings) = ([HAR.Entry](), [Int](), har.warnings)
    var (number, missingBodies) = (0, 0)
    for entry in har.log.entries {
      while omitted.contains(number) { number += 1 }
      if let reason = entry.reasonNotToReplay {
        warnings.append(ArchiveWarning(entry, at: number, problem: "left out: \(reason)"))
      } else {
        entries.append(entry)
        numbers.append(number)
        if entry.isWithoutItsBody { missingBodies += 1 }
        if let failure = entry.unknownFailure {
          warnings.append(
            ArchiveWarning(
              entry, at: number,
              problem: "failed before its body was recorded (\(failure.prefix(100))); another "
                + "response to the request is replayed, or else a lost connection"))
        }
      }
      number += 1
    }
    warnings.sort { ($0.entry ?? 0) < ($1.entry ?? 0) }
    if missingBodies > 0 {
      warnings.append(
        ArchiveWarning(
          problem:
            "\(missingBodies) of \(entries.count) responses are replayed without their bodies, "
            + "which the archive does not contain"))
    }
    return (entries, numbers, warnings)
  }

  /// Replays all responses again, from the first one.
  func restart() {
    counts.withLock { counts in
      for variant in counts.indices { counts[variant] = 0 }
    }
  }

  /// The exchanges that have not been replayed, in the order of the recording.
  var unplayed: [HAR.Entry] {
    let counts = counts.withLock { $0 }
    return variants.indices.flatMap { variants[$0].indices.dropFirst(counts[$0]) }
      .sorted().map { entries[$0] }
  }

  /// The requests whose bodies are compared.
  var requestsComparedByBody: [HAR.Request] {
    guard !options.matching.alwaysReadsBody else { return entries.map(\.request) }
    return groups.filter(\.comparesBodies).flatMap { variants[$0.variants] }
      .flatMap { $0.indices.map { entries[$0].request } }
  }

  /// Returns the events of the next recorded response to a request.
  ///
  /// - Parameter request: The request, without a stream body.
  /// - Returns: The events. If there is no response, the only event is a failure with the code
  ///   `mockFailed`.
  func events(for request: HTTPRequest) -> [TransportEvent] {
    switch play(
      HAR.Request(request, bodyLimit: needsBody ? options.bodyLimit : nil),
      secretNames: request.attributes.secretNames)
    {
    case .entry(let entry):
      entry.events(to: request.method, request.headers, byteCount: request.body.byteCount)
    case .unmatched(let reason), .unplayable(let reason):
      [.failure(TransportFailure(code: .mockFailed, detail: reason))]
    }
  }

  /// Delivers the next recorded response to a request before it returns.
  func replay(
    _ request: HTTPRequest, _ receive: (TransportEvent) -> Void
  ) -> any TransportHandle {
    if request.options.reportsConnection { receive(.servedLocally(by: "tape")) }
    for event in events(for: request) { receive(event) }
    return FinishedHandle()
  }

  /// Returns whether a response to a request is recorded.
  ///
  /// - Parameter request: The request, without a stream body.
  /// - Returns: Whether there is a response.
  func contains(_ request: HTTPRequest) -> Bool {
    let recorded = HAR.Request(request, bodyLimit: needsBody ? options.bodyLimit : nil)
    let query = Query(recorded, options, request.attributes.secretNames)
    return !candidates(for: query).isEmpty
  }

  /// Returns the next recorded exchange for a request.
  ///
  /// - Parameters:
  ///   - request: The request, with the body if ``needsBody``.
  ///   - secretNames: The names of secrets of the client, which its recording masks.
  /// - Returns: The exchange, or the reason why there is none.
  func play(_ request: HAR.Request, secretNames: SecretNames = .standard) -> Playback {
    let query = Query(request, options, secretNames)
    let candidates = candidates(for: query)
    guard !candidates.isEmpty else {
      return .unmatched(
        reason: "\(query.summary) is not in \(fileName)\(closestMatch(to: query))")
    }
    let index: Int? = counts.withLock { counts in
      func isExhausted(_ variant: Int) -> Bool {
        counts[variant] >= variants[variant].indices.count
      }
      guard let variant = candidates.first(where: { !isExhausted($0) }) ?? candidates.last else {
        return nil
      }
      let number = counts[variant]
      counts[variant] = number + 1
      let indices = variants[variant].indices
      guard number < indices.count || options.afterLast == .repeats else { return nil }
      return indices[min(number, indices.count - 1)]
    }
    guard let index else {
      let count = candidates.reduce(0) { $0 + variants[$1].indices.count }
      return .unmatched(
        reason: "\(query.summary) was recorded \(count == 1 ? "once" : "\(count) times") in "
          + "\(fileName), and every recorded response has been replayed")
    }
    let entry = entries[index]
    guard !entry.response.content.isOmitted else {
      return .unplayable(
        reason: "the response to \(query.summary) in \(fileName) has a body of "
          + "\(entry.response.content.size) bytes that was not recorded, because it was larger than "
          + "the limit")
    }
    return .entry(entry)
  }

  /// A request in the forms in which it is compared.
  private final class Query {
    let request: HAR.Request
    let key: MatchKey
    private let options: Tape.Options
    private let secretNames: SecretNames
    private(set) lazy var maskedRequest = {
      var masked = request
      RecordingRedactor(options.redaction, placeholders: ComparedPlaceholders())
        .adding(secretNames).redact(&masked)
      return masked
    }()
    private(set) lazy var maskedKey = MatchKey(maskedRequest, options.matching)
    private(set) lazy var bodyKey = {
      var key = key
      key.addBody(of: request)
      return key
    }()
    private(set) lazy var maskedBodyKey = {
      var key = maskedKey
      key.addBody(of: maskedRequest)
      return key
    }()

    init(_ request: HAR.Request, _ options: Tape.Options, _ secretNames: SecretNames) {
      self.options = options
      self.secretNames = secretNames
      self.request = request
      key = MatchKey(request, options.matching)
    }

    /// The method and the URL, with secrets masked.
    var summary: String { "\(maskedRequest.method) \(maskedRequest.url)" }
  }

  /// Returns the indices of the variants that match a request best, in the order of the recording.
  private func candidates(for query: Query) -> [Int] {
    if let exact = groupIndices[query.key] {
      let group = groups[exact]
      guard group.comparesBodies else { return Array(group.variants) }
      if let variant = group.variants.first(where: { variants[$0].key == query.bodyKey }) {
        return [variant]
      }
    }
    // Without masked values, only an equal request matches, except for values in the bodies.
    let isMasked = query.maskedKey != query.key
    var best: (count: Int, variants: [Int]) = (.max, [])
    for index in groupsByShape[query.key.shape] ?? [] {
      let group = groups[index]
      guard isMasked || group.isMasked || group.key == query.key,
        group.key.maskedCount(matching: query.key, masked: query.maskedKey) != nil
      else { continue }
      for variant in group.variants {
        let key = variants[variant].key
        let count =
          group.comparesBodies
          ? key.maskedCount(matching: query.bodyKey, masked: query.maskedBodyKey)
          : key.maskedCount(matching: query.key, masked: query.maskedKey)
        guard let count, count <= best.count else { continue }
        if count < best.count { best = (count, []) }
        best.variants.append(variant)
      }
    }
    return best.variants
  }

  /// The maximum number of recorded requests with which an error message compares a request.
  private static let comparisonLimit = 500

  private var fileName: String { file.lastPathComponent }

  /// Returns the part of an error message that contains the most similar recorded request and the
  /// differing parts.
  private func closestMatch(to query: Query) -> String {
    let similar = (groupsByShape[query.key.shape] ?? []).prefix(Self.comparisonLimit)
    let candidates = similar + groups.indices.prefix(Self.comparisonLimit)
    let distances = candidates.map {
      groups[$0].key.distance(to: query.key, masked: query.maskedKey)
    }
    guard let closest = distances.indices.min(by: { distances[$0] < distances[$1] }) else {
      return ", which is empty"
    }
    let group = groups[candidates[closest]]
    let entry = variants[group.variants.lowerBound].indices[0]
    let request = entries[entry].request
    let url = NetworkError.RequestSummary(method: .get, url: request.url).url
    var differences = group.key.differences(from: query.key, masked: query.maskedKey)
    if differences.isEmpty { differences = ["body"] }
    return "; the closest of its \(entries.count) entries is log.entries[\(numbers[entry])], "
      + "\(request.method) \(url), with a different \(differences.joined(separator: ", "))"
  }
}
