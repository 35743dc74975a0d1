import Foundation
import Networking

/// An answer laid down beforehand, in place of a server's.
///
/// ```swift
/// .json(["token": "t-1"])
/// .status(404)
/// .failure(.connectionLost).delayed(by: .seconds(2))
/// ```
public struct Mock: Sendable {
  /// What the answer is.
  enum Outcome: Sendable {
    case response(HTTPResponseHead, Data)
    case failure(NetworkError.Code)
    /// What was to be answered cannot be made; the request fails and says why.
    case broken(String)
  }

  let outcome: Outcome
  /// How long it takes to come; nil leaves that to the provider.
  var delay: Duration?

  private init(_ outcome: Outcome) {
    self.outcome = outcome
  }

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: the status code.
  ///   - headers: the header fields.
  ///   - body: the body.
  ///   - delay: how long it takes to come; nil leaves that to the provider.
  public init(
    status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data(), delay: Duration? = nil
  ) {
    self.init(.response(HTTPResponseHead(status: status, headers: headers), body))
    self.delay = delay
  }

  /// A JSON body.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - status: the status code.
  /// - Returns: the answer; a value with a number that is not finite makes the request fail.
  public static func json(_ value: JSON, status: Int = 200) -> Mock {
    json(status) { try value.data() }
  }

  /// A JSON body made of any value.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - status: the status code.
  ///   - encoder: what writes it.
  /// - Returns: the answer; a value that cannot be encoded makes the request fail.
  public static func json(
    encoding value: some Encodable, status: Int = 200, encoder: JSONEncoder = JSONEncoder()
  ) -> Mock {
    json(status) { try encoder.encode(value) }
  }

  private static func json(_ status: Int, _ encode: () throws -> Data) -> Mock {
    do {
      return data(try encode(), contentType: "application/json", status: status)
    } catch {
      return Mock(.broken("the mock's JSON cannot be encoded: \(error)"))
    }
  }

  /// A body of bytes.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - contentType: their media type.
  ///   - status: the status code.
  /// - Returns: the answer.
  public static func data(
    _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
  ) -> Mock {
    Mock(status: status, headers: ["Content-Type": contentType], body: data)
  }

  /// A body of text, in UTF-8.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - status: the status code.
  /// - Returns: the answer.
  public static func text(_ text: String, status: Int = 200) -> Mock {
    data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// A status and nothing else.
  ///
  /// - Parameter status: the status code.
  /// - Returns: the answer.
  public static func status(_ status: Int) -> Mock {
    Mock(status: status)
  }

  /// No answer, but a failure on the way to one.
  ///
  /// - Parameter code: what kind of failure.
  /// - Returns: the failure.
  public static func failure(_ code: NetworkError.Code) -> Mock {
    Mock(.failure(code))
  }

  /// The same answer after some time.
  ///
  /// - Parameter delay: how long it takes to come, in place of the provider's delay.
  /// - Returns: the answer.
  public func delayed(by delay: Duration) -> Mock {
    var mock = self
    mock.delay = delay
    return mock
  }
}
