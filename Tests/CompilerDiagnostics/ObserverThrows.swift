// expect: 'done' is unavailable: it only observes; use then { value in }
// expect: 'fail' is unavailable: it only observes; use recover { error in }
import Networking

func check(_ number: Promise<Int>) {
  number.done { number in
    if number < 0 { throw PromiseError.unacceptableValue }
  }
  number.fail { error in throw error }
}
