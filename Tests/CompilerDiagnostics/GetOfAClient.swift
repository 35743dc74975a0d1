// expect: 'get(_:parameters:)' is unavailable: send a request: request(.get("boards"))
// expect: 'cancel()' has been renamed to 'cancelAllRequests()'
import Networking

func show(_ networking: Networking<Request>) {
  networking.get("boards").done { response in print(response) }
  networking.cancel()
}
