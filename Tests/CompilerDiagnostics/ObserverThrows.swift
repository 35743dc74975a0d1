// expect: invalid conversion from throwing function of type '@Sendable (Int) throws -> Void'
// expect: invalid conversion from throwing function of type '@Sendable (any Error) throws -> Void'
import Networking

func check(_ number: Promise<Int>) {
  number.done { number in
    if number < 0 { throw PromiseError.unacceptableValue }
  }
  number.fail { error in throw error }
}
