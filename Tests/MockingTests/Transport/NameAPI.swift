import Foundation
import Mocking

/// An API with one endpoint, which responds with a name as text.
enum NameAPI: RequestConvertible {
  case name

  static let baseURL: URL? = URL(string: "https://api.example.com/")
  var request: Request { .get("name") }
}

/// The same API on another host.
enum OtherNameAPI: RequestConvertible {
  case name

  static let baseURL: URL? = URL(string: "https://other.example.com/")
  var request: Request { .get("name") }
}

/// An endpoint of ``NameAPI`` that decodes the name.
struct GetName: TypedEndpoint {
  typealias ResponseType = String
  static let baseURL = NameAPI.baseURL
  var request: Request { .get("name") }
}

extension MockProvider {
  /// Returns a provider that responds to all requests with a text.
  static func text(_ text: String) -> MockProvider {
    MockProvider { _ in .text(text) }
  }
}
