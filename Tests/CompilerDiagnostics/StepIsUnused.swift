// expect: result of call to 'then(file:line:_:)' is unused
// expect: result of call to 'map(file:line:_:)' is unused
import Networking

func count(_ number: Promise<Int>) {
  number.then { number in number + 1 }
  number.map { number in number + 1 }
}
