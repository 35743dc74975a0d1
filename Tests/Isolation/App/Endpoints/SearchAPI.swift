import Foundation
import Networking

enum Sorting: String {
  case title, newest
}

struct Filter {
  var owner: String?
  var sorting = Sorting.title
}

enum SearchAPI: RequestConvertible {
  case search(String, Filter)

  static var baseURL: URL? { URL(string: "https://search.example.com/") }
  static var headers: HTTPHeaders { ["Accept": "application/json"] }

  var request: Request {
    switch self {
    case .search(let text, let filter):
      .get("search", parameters: parameters(text, filter), .timeout(.seconds(5)))
    }
  }

  private func parameters(_ text: String, _ filter: Filter) -> Parameters {
    var parameters: Parameters = ["q": .string(text), "sort": .string(filter.sorting.rawValue)]
    if let owner = filter.owner { parameters["owner"] = .string(owner) }
    return parameters
  }
}
