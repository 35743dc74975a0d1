// expect: type 'Request.StorePolicy' has no member 'offlin'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards", .store(.offlin)))
}
