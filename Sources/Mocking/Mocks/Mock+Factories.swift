import Foundation
import Networking

extension Mock {
  /// A status and nothing else.
  ///
  /// - Parameters:
  ///   - status: the status code.
  ///   - headers: the header fields.
  /// - Returns: the answer.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Mock {
    Mock(status: status, headers: headers)
  }

  /// A text in UTF-8.
  ///
  /// - Parameters:
  ///   - text: the body.
  ///   - status: the status code.
  /// - Returns: the answer, of the type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: Int = 200) -> Mock {
    .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// Bytes.
  ///
  /// - Parameters:
  ///   - data: the body.
  ///   - contentType: its type; nil sends none.
  ///   - status: the status code.
  /// - Returns: the answer.
  public static func data(
    _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200
  ) -> Mock {
    Mock(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:], body: .data(data))
  }

  /// A JSON body.
  ///
  /// - Parameters:
  ///   - value: the value; members are sent sorted by name.
  ///   - status: the status code.
  /// - Returns: the answer, of the type `application/json`. A number in it that is not finite makes it one
  ///   that cannot be given: in memory the request fails, on a socket it is answered by 500.
  public static func json(_ value: JSON, status: Int = 200) -> Mock {
    json(status) { try value.data() }
  }

  /// A value as JSON.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - status: the status code.
  ///   - encoder: what writes it; nil is one that sorts members by name.
  /// - Returns: the answer, of the type `application/json`. A value that cannot be encoded makes it one
  ///   that cannot be given: in memory the request fails, on a socket it is answered by 500.
  public static func json(
    _ value: some Encodable, status: Int = 200, encoder: JSONEncoder? = nil
  ) -> Mock {
    json(status) {
      if let encoder { return try encoder.encode(value) }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(value)
    }
  }

  private static func json(_ status: Int, _ encode: () throws -> Data) -> Mock {
    do {
      return data(try encode(), contentType: "application/json", status: status)
    } catch {
      var mock = Mock()
      mock.source = .broken("the answer cannot be encoded as JSON: \(error)")
      return mock
    }
  }

  /// What is in a file, looked for in the current folder and then among the program's resources.
  ///
  /// - Parameters:
  ///   - name: the file's name, perhaps with folders before it.
  ///   - status: the status code.
  /// - Returns: the answer, of the type that the name's ending says. It is read each time it is answered;
  ///   a file that is not there makes the request fail in memory, and be answered by 500 on a socket,
  ///   with its name and where it was looked for.
  public static func file(_ name: String, status: Int = 200) -> Mock {
    file(MockFile(name), status)
  }

  /// What is in a file of a folder.
  ///
  /// - Parameters:
  ///   - name: the file's name, perhaps with folders before it.
  ///   - folder: the folder.
  ///   - status: the status code.
  /// - Returns: the answer, as ``file(_:status:)`` says.
  public static func file(_ name: String, in folder: URL, status: Int = 200) -> Mock {
    file(MockFile(name, in: folder), status)
  }

  /// What is in a file among a bundle's resources.
  ///
  /// - Parameters:
  ///   - name: the file's name, perhaps with folders before it.
  ///   - bundle: the bundle, such as `.module`.
  ///   - status: the status code.
  /// - Returns: the answer, as ``file(_:status:)`` says.
  public static func file(_ name: String, in bundle: Bundle, status: Int = 200) -> Mock {
    file(MockFile(name, in: bundle), status)
  }

  private static func file(_ file: MockFile, _ status: Int) -> Mock {
    let type = file.name.lastIndex(of: ".").flatMap {
      MediaType(fileExtension: String(file.name[$0...].dropFirst()))
    }
    return Mock(
      status: status,
      headers: ["Content-Type": type?.description ?? "application/octet-stream"],
      body: .file(file))
  }

  /// No response, but a failure on the way to one.
  ///
  /// - Parameter code: what kind of failure.
  /// - Returns: the failure; ``error`` says what becomes of it on a socket.
  public static func failure(_ code: NetworkError.Code) -> Mock {
    Mock(error: code)
  }

  /// Pieces in the chunked coding, one chunk each.
  ///
  /// - Parameters:
  ///   - chunks: the pieces; empty ones are left out.
  ///   - contentType: the type of the whole; nil sends none.
  ///   - status: the status code.
  /// - Returns: the answer. A client of HTTP/1.0, which knows no chunks, gets the bytes as they are.
  public static func chunks(
    _ chunks: [Data], contentType: String? = "application/octet-stream", status: Int = 200
  ) -> Mock {
    Mock(
      status: status, headers: contentType.map { ["Content-Type": $0] } ?? [:],
      body: .chunks(chunks))
  }

  /// So many bytes, which take no memory.
  ///
  /// They count up from 0 to 255, again and again.
  ///
  /// - Parameter byteCount: how many; less than none is none.
  /// - Returns: the answer, of the type `application/octet-stream`.
  public static func bytes(_ byteCount: Int) -> Mock {
    Mock(
      headers: ["Content-Type": "application/octet-stream"],
      body: .generated(byteCount: max(byteCount, 0)) { range in
        let shift = range.lowerBound & 0xFF
        return bytePattern[shift..<(shift + min(range.count, bytePattern.count - 256))]
      })
  }

  private static let bytePattern = Data(
    (0..<(64 * 1024 + 256)).map { UInt8(truncatingIfNeeded: $0) })

  /// A redirect.
  ///
  /// - Parameters:
  ///   - location: where to, a path or a URL.
  ///   - status: the status code.
  /// - Returns: the answer.
  public static func redirect(to location: String, status: Int = 302) -> Mock {
    Mock(status: status, headers: ["Location": location])
  }

  /// An answer that goes wrong: a 200 with a body long enough for the fault to cut short.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - stage: where.
  /// - Returns: the answer.
  public static func fault(_ fault: MockFault, at stage: MockFault.Stage) -> Mock {
    let afterBytes = if case .body(let afterBytes) = stage { max(afterBytes, 0) } else { 0 }
    return .bytes(min(afterBytes, .max - 1024) + 1024).interrupted(by: fault, at: stage)
  }
}
