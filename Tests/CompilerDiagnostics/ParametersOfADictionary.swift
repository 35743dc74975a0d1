// expect: 'get(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or .int(id)
// expect: 'init(_:_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or .int(id)
// expect: 'patch(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or .int(id)
// expect: 'put(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or .int(id)
// expect: 'post(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or .int(id)
import Networking

func search(_ values: [String: Any]) -> Request { .get("boards", parameters: values) }

func create(_ title: String) -> Request {
  let values: [String: Any] = ["title": title, "page": 1]
  return .post("boards", parameters: values)
}

func replace(_ values: [String: Parameters]) -> Request { .put("boards/7", parameters: values) }

func change(_ owner: String) -> Request {
  .patch("boards/7", parameters: ["owner": owner, "place": ["x": 1, "y": "z"]])
}

func report(_ values: [String: Any]) -> Request { Request(.put, "boards", parameters: values) }
