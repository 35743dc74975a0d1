// expect: extra argument 'params' in call
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards", params: ["page": 2]))
}
