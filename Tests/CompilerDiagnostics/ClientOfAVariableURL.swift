// expect: cannot convert value of type 'String' to expected argument type 'BaseURL'
import Networking

func client(_ url: String) -> Networking<Request> { Networking<Request>(baseURL: url) }
