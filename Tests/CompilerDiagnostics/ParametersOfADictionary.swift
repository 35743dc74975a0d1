// expect: 'get(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'
// expect: 'post(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'
import Networking

func search(_ values: [String: Any]) -> Request { .get("boards", parameters: values) }

func create(_ title: String) -> Request {
  let values: [String: Any] = ["title": title, "page": 1]
  return .post("boards", parameters: values)
}
