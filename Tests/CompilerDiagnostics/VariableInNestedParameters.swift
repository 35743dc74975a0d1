// expect: 'get(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'
import Networking

func send(_ networking: Networking<Request>) {
  let page = 2
  networking.request(.get("boards", parameters: ["filter": ["page": page, "kind": "big"]]))
}
