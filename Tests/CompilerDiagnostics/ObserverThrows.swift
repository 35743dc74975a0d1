// expect 2: invalid conversion from throwing function of type
import Networking

func check(_ number: Promise<Int>) {
  number.done { number in
    if number < 0 { throw PromiseError.unacceptableValue }
  }
  number.fail { error in throw error }
}
