// expect: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
import Promises

func show(_ number: Promise<Int>) {
  number.then { print("then") }.done { print("done") }
}
