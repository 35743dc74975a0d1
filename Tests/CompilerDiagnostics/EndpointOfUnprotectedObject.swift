// expect: associated value 'create' of 'Sendable'-conforming enum 'EditAPI' has non-Sendable type 'Draft'
import Networking

final class Draft {
  var title = ""
}

enum EditAPI: RequestConvertible {
  case create(Draft)
  var request: Request { .post("boards") }
}
