// expect: 'connectionLost' is unavailable: use '.fault(.reset)', or '.failure(.connectionLost)' without 'fault'
// expect: 'timeout' is unavailable: use '.fault(.stall)', or '.failure(.timedOut(.idle))' without 'fault'
import Mocking

func mocks() -> [Mock] {
  [.fault(.connectionLost), .fault(.timeout), .fault(.reset), .failure(.connectionLost)]
}
