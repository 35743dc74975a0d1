// expect: type 'Request' has no member 'gett'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.gett("boards"))
}
