// expect 2: cannot convert value of type 'Int' to expected argument type 'Duration'
// expect: 'after' is unavailable: a Duration has a unit: after(.seconds(2))
// expect: 'timeout' is unavailable: a Duration has a unit: .timeout(.seconds(30))
// expect: cannot assign value of type 'Int' to type 'Duration'
import Networking

struct Board: Codable, Sendable {
  var id: Int
  var title: String
}

enum BoardsAPI: RequestConvertible {
  case boards
  case board(id: Int)

  static let baseURL = "https://api.example.com/v1/"

  var request: Request {
    switch self {
    case .boards: .get("boards")
    case .board(let id): .get("boards/\(id)")
    }
  }
}

func show(_ number: Promise<Int>) {
  number.timeout(30).done { number in print(number) }
  number.delay(2).done { number in print(number) }
  after(2).done { print("late") }
}

func send(_ networking: Networking<BoardsAPI>) {
  networking.request(.boards, .timeout(30))
}

func changed(_ request: Request) -> Request {
  var request = request
  request.timeout = 30
  return request
}
