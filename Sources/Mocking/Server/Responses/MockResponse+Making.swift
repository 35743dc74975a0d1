import Foundation
import Networking

extension MockResponse {
  /// A response without a body.
  ///
  /// - Parameters:
  ///   - status: the status code.
  ///   - headers: the header fields.
  /// - Returns: the response.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> MockResponse {
    MockResponse(status: status, headers: headers)
  }

  /// A text in UTF-8.
  ///
  /// - Parameters:
  ///   - text: the body.
  ///   - status: the status code.
  /// - Returns: the response, of the type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: Int = 200) -> MockResponse {
    .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// Bytes.
  ///
  /// - Parameters:
  ///   - data: the body.
  ///   - contentType: its type; nil sends none.
  ///   - status: the status code.
  /// - Returns: the response.
  public static func data(
    _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200
  ) -> MockResponse {
    MockResponse(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:], body: .data(data))
  }

  /// A value as JSON, keys in order.
  ///
  /// - Parameters:
  ///   - value: what to encode; if it cannot be encoded the answer is a 500 that says why.
  ///   - status: the status code.
  /// - Returns: the response, of the type `application/json`.
  public static func json(_ value: some Encodable, status: Int = 200) -> MockResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return .data(try encoder.encode(value), contentType: "application/json", status: status)
    } catch {
      return .text("the answer cannot be encoded as JSON: \(error)\n", status: 500)
    }
  }

  /// Pieces in the chunked coding, one chunk each.
  ///
  /// - Parameters:
  ///   - chunks: the pieces; empty ones are left out.
  ///   - contentType: the type of the whole; nil sends none.
  ///   - status: the status code.
  /// - Returns: the response. A client of HTTP/1.0, which knows no chunks, gets the bytes as they are.
  public static func chunks(
    _ chunks: [Data], contentType: String? = "application/octet-stream", status: Int = 200
  ) -> MockResponse {
    MockResponse(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:],
      body: .chunks(chunks))
  }

  /// So many bytes, which take no memory.
  ///
  /// They count up from 0 to 255, again and again.
  ///
  /// - Parameter byteCount: how many; less than none is none.
  /// - Returns: the response, of the type `application/octet-stream`.
  public static func bytes(_ byteCount: Int) -> MockResponse {
    MockResponse(
      headers: ["Content-Type": "application/octet-stream"],
      body: .generated(byteCount: max(byteCount, 0)) { range in
        let shift = range.lowerBound & 0xFF
        return countingUp[shift..<(shift + min(range.count, countingUp.count - 256))]
      })
  }

  private static let countingUp = Data(
    (0..<(64 * 1024 + 256)).map { UInt8(truncatingIfNeeded: $0) })

  /// A redirect.
  ///
  /// - Parameters:
  ///   - location: where to, a path or a URL.
  ///   - status: the status code.
  /// - Returns: the response.
  public static func redirect(to location: String, status: Int = 302) -> MockResponse {
    MockResponse(status: status, headers: ["Location": location])
  }

  /// A response that goes wrong: a 200 with a body long enough for the fault to cut short.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - stage: where.
  /// - Returns: the response.
  public static func fault(_ fault: MockFault, at stage: MockFault.Stage) -> MockResponse {
    let afterBytes = if case .body(let afterBytes) = stage { max(afterBytes, 0) } else { 0 }
    return .bytes(afterBytes + 1024).interrupted(by: fault, at: stage)
  }
}
