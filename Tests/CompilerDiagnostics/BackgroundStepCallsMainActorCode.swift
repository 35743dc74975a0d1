// default isolation: MainActor
// expect: call to main actor-isolated static method 'parse' in a synchronous nonisolated context
import Foundation
import Networking

struct Parser {
  static func parse(_ data: Data) throws -> [String] {
    try JSONDecoder().decode([String].self, from: data)
  }
}

func titles(_ networking: Networking<Request>) -> Promise<[String]> {
  networking.request(.get("https://api.example.com/titles")).toData()
    .thenInBackground { data in try Parser.parse(data) }
}
