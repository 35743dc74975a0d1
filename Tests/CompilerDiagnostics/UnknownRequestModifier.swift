// expect: value of type 'Request' has no member 'storin'
// expect: cannot infer contextual base in reference to member 'offline'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards").storin(.offline))
}
