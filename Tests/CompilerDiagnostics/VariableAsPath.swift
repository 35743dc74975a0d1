// expect: cannot convert value of type 'String' to expected argument type 'RequestPath'
import Networking

func resource(_ path: String) -> Request {
  .get(path)
}
