// expect: cannot convert value of type 'String' to expected argument type 'RequestPath'
import Networking

func send(_ networking: Networking<Request>) {
  let path = "boards"
  networking.request(.get(path))
}
