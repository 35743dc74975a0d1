import Foundation
import Networking
import TestGate
import Testing

/// The table of error codes in the guide "Responses and errors".
@Suite(.gated)
struct ErrorCodeGuideTests {
  /// All codes, with an example of those that have a value.
  ///
  /// ``name(of:)`` does not compile without a new case, which is a reminder to add it here and to the
  /// guide.
  static let codes: [NetworkError.Code] =
    [
      .invalidURL, .credentialsWithoutBaseURL, .sessionEnded, .invalidMethod, .invalidHeader,
      .encodingFailed,
      .unsupported, .invalidTLSOptions, .mockFailed, .dnsFailed, .cannotConnect, .connectionLost,
      .notConnectedToInternet, .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch,
      .tlsUntrusted, .pinMismatch, .tlsRevoked, .tlsRevocationUnknown, .malformedResponse,
      .bodyTooLarge, .fileNotWritten, .circuitOpen,
      .cancelled, .digestMismatch, .transferInProgress, .redirectRefused, .tooManyRedirects,
      .unacceptableStatus(404),
      .unacceptableContentType("text/html"), .missingContentType, .decodingFailed, .jsonFailed,
      .stringFailed, .noData, .alreadyRead, .pageLoop, .notCached, .cookieFileFailed,
      .offlineStoreFull,
      .offlineStoreRefused, .offlineStoreFailed, .offlineCredentialsMissing, .offlineStoreBusy,
    ] + phases.map { .timedOut($0) }

  private static let phases: [NetworkError.Phase] = [.connect, .idle, .attempt, .call]

  /// Returns the code as the guide writes it.
  private func name(of code: NetworkError.Code) -> String {
    switch code {
    case .timedOut(let phase):
      switch phase {
      case .connect, .idle, .attempt, .call: "timedOut(.\(phase))"
      }
    case .unacceptableStatus: "unacceptableStatus(n)"
    case .unacceptableContentType: "unacceptableContentType(t)"
    case .invalidURL, .credentialsWithoutBaseURL, .sessionEnded, .invalidMethod, .invalidHeader,
      .encodingFailed,
      .unsupported, .invalidTLSOptions, .mockFailed, .dnsFailed, .cannotConnect, .connectionLost,
      .notConnectedToInternet, .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch,
      .tlsUntrusted, .pinMismatch, .tlsRevoked, .tlsRevocationUnknown, .malformedResponse,
      .bodyTooLarge, .fileNotWritten, .circuitOpen,
      .cancelled, .digestMismatch, .transferInProgress, .redirectRefused, .tooManyRedirects,
      .missingContentType, .decodingFailed,
      .jsonFailed, .stringFailed, .noData, .alreadyRead, .pageLoop, .notCached, .cookieFileFailed,
      .offlineStoreFull,
      .offlineStoreRefused, .offlineStoreFailed, .offlineCredentialsMissing, .offlineStoreBusy:
      "\(code)"
    }
  }

  /// The codes of the guide, each with whether it is marked as caused by a missing network.
  private func codesOfTheGuide() throws -> [(name: String, isMarked: Bool)] {
    let guide = URL(filePath: #filePath)
      .appending(path: "../../../../Sources/Networking/Networking.docc/ResponsesAndErrors.md")
      .standardizedFileURL
    let text = try String(contentsOf: guide, encoding: .utf8)
    let rest = try #require(text.components(separatedBy: "\n## Error codes\n").last)
    let section = try #require(rest.components(separatedBy: "\n## ").first)
    return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      let cell = row.dropFirst(3)
      let name = cell.prefix { $0 != "`" }
      return (String(name), cell.dropFirst(name.count).hasPrefix("` * |"))
    }
  }

  @Test func theGuideHasEachCodeOnce() throws {
    let names = try codesOfTheGuide().map(\.name)
    #expect(names.sorted() == Self.codes.map { name(of: $0) }.sorted())
  }

  @Test func theGuideMarksTheCodesOfAMissingNetwork() throws {
    let marked = try codesOfTheGuide().filter(\.isMarked).map(\.name)
    let expected = Self.codes.filter(\.isNetworkUnavailable).map { name(of: $0) }
    #expect(marked.sorted() == expected.sorted())
  }
}
