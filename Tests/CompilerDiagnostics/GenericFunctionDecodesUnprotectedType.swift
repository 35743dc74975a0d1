// expect: type 'Value' does not conform to the 'Sendable' protocol
import Networking

struct API: Sendable {
  let networking: Networking<Request>

  func get<Value: Decodable>(_ type: Value.Type) -> Promise<Value> {
    networking.request(.get("https://api.example.com/board")).decode(type)
  }
}
