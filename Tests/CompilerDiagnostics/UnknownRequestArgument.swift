// expect: extraneous argument label 'params:' in call
// expect: cannot convert value of type '[String : Int]' to expected argument type 'RequestOption'
import Networking

func send(_ networking: Networking<Request>) {
  networking.request(.get("boards", params: ["page": 2]))
}
