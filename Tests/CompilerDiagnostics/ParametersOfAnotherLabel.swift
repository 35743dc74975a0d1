// expect: 'get(_:params:_:)' is unavailable: the label is 'parameters:'
// expect: 'get(_:query:_:)' is unavailable: the label is 'parameters:'
// expect: 'get(_:queryItems:_:)' is unavailable: the label is 'parameters:'
import Foundation
import Networking

func search(_ text: String) -> [Request] {
  [
    .get("boards", params: ["q": text]),
    .get("boards", query: ["q": text]),
    .get("boards", queryItems: [URLQueryItem(name: "q", value: text)]),
  ]
}
