// expect: type 'RequestOption' has no member 'timeot'
// expect: cannot infer contextual base in reference to member 'seconds'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards"), .timeot(.seconds(1)))
}
