// expect: incorrect argument label in call (have '_:parameters:header:', expected '_:parameters:headers:')
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards", parameters: ["page": 2], header: ["Accept": "text/csv"]))
}
