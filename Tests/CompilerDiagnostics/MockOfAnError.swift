// expect: 'error' has been renamed to 'failure(_:)'
// expect: 'error' has been renamed to 'status(_:)'
// expect: 'failure' has been renamed to 'status(_:)'
import Mocking

struct CardDeclined: Error {}

func mocks() -> [Mock] {
  [.error(CardDeclined()), .error(500), .failure(500)]
}
