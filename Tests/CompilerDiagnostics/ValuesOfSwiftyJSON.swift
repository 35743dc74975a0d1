// expect: 'stringValue' has been renamed to 'string'
// expect: 'intValue' has been renamed to 'int'
// expect: 'arrayValue' has been renamed to 'array'
import Networking

func show(_ json: JSON) {
  print(json["title"].stringValue)
  print(json["id"].intValue)
  for board in json["boards"].arrayValue { print(board) }
}
