// expect: 'httpMethod' has been renamed to 'method'
// expect: 'addValue(_:forHTTPHeaderField:)' is unavailable: use headers["Accept"] = "text/csv"
// expect: 'init(url:)' is unavailable: use .get(.url(url)), or a path: .get("boards")
import Foundation
import Networking

func request(_ url: URL) -> Request {
  var request = Request(url: url)
  request.httpMethod = "POST"
  request.addValue("text/csv", forHTTPHeaderField: "Accept")
  return request
}
