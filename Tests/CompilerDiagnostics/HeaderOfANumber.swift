// expect: cannot convert value of type 'Int' to expected dictionary value type 'String'
import Networking

func request() -> Request { .get("boards", headers: ["X-Version": 1]) }
