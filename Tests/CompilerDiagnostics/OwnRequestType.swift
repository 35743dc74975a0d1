// compiles
import Networking

struct Request {}
struct Response {}
struct JSON {}

enum BoardsAPI: RequestConvertible {
  case boards
  var request: Networking.Request { .get("boards") }
}

enum NotesAPI: RequestConvertible {
  case notes
  var request: NetworkRequest { .get("notes") }
}

func status(of response: Networking.Response) -> Int { response.status }

func title(of json: Networking.JSON) -> String? { json["title"].string }

func status(_ networking: Networking<BoardsAPI>) -> Promise<Int> {
  networking.request(.boards).map { response in status(of: response) }
}

func status(_ networking: Networking<NotesAPI>) -> Promise<Int> {
  networking.request(.notes).map { (response: NetworkResponse) in response.status }
}

func title(_ networking: Networking<NotesAPI>) -> Promise<String?> {
  networking.request(.notes).validate().toJson().map { (json: NetworkJSON) in title(of: json) }
}
