import Foundation
import LoadSupport
import Mocking

/// A kind of mocked request, sent one at a time, with its expected number of allocations.
///
/// Update a threshold when a change lowers the count, or when there is a reason to raise it.
struct RequestShape: Sendable {
  let name: String
  let threshold: Double
  private let client: Networking<BoardsAPI>
  private let isDecoded: Bool

  static var all: [RequestShape] {
    [
      RequestShape("response only", threshold: 31, decoded: false),
      RequestShape("validated, decoded", threshold: 51),
      RequestShape("the same, .limited(4)", threshold: 51, mode: .limited(4)),
      RequestShape("the same, .sync", threshold: 56, mode: .sync),
    ]
  }

  private init(
    _ name: String, threshold: Double, decoded: Bool = true, mode: RequestMode = .async
  ) {
    self.name = name
    self.threshold = threshold
    isDecoded = decoded
    let mock = Mock.data(Data(Board.json.utf8), contentType: "application/json")
    client = Networking(
      mode: mode, mockProvider: MockProvider { _ in mock }, sessionConfiguration: .ephemeral)
    client.callbackContext = .inline
  }

  /// Sends a number of requests and returns the number of failures.
  func run(_ count: Int) async -> Int {
    let (client, isDecoded) = (client, isDecoded)
    return await Lanes(count, atOnce: 1).callingBack { number, done in
      let response = client.request(.board(id: number))
      if isDecoded {
        response.validate().decode(Board.self)
          .done { _ in done(nil) }
          .fail(policy: .allErrors) { done($0) }
      } else {
        response.done { _ in done(nil) }.fail(policy: .allErrors) { done($0) }
      }
    }
  }
}

/// The endpoints of the requests.
enum BoardsAPI: RequestConvertible {
  case board(id: Int)

  static let baseURL: URL? = URL(string: "https://api.example.com/v1/")

  var request: Request {
    switch self {
    case .board(let id): .get("boards/\(id)")
    }
  }
}
