// expect: cannot convert value of type '[Any]' to expected dictionary value type '(any Encodable)?'
import Mocking

func projects() -> Route {
  Route(.get, "/projects/{owner}") { request in
    .json(["items": [], "owner": request.path["owner"], "page": request.query["page"]])
  }
}
