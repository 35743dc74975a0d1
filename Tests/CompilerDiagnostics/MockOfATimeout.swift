// expect: 'timeout' is unavailable: use '.failure(.timedOut(.idle))'
// expect: 'timeout' is unavailable: name the phase: '.timedOut(.idle)'
import Mocking

func mocks() -> [Mock] {
  [.timeout, .failure(.timeout)]
}
