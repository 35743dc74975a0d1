// expect: cannot convert value of type 'Int' to expected dictionary value type 'Parameters?'
import Networking

func send(_ networking: Networking<Request>) {
  let page = 2
  networking.request(.get("boards", parameters: ["filter": ["page": page, "kind": "big"]]))
}
