// expect 4: type 'Any' does not conform to the 'Sendable' protocol
// expect: cannot convert value of type 'Promise<String>' to closure result type 'Promise<Any>'
import Networking

func load(_ number: Int) -> Promise<String> { .fulfilled("\(number)") }

func show(_ number: Promise<Int>) {
  number
    .then { number in
      print(number)
      return load(number)
    }
    .done { text in print(text) }
}

func check(_ number: Promise<Int>) {
  number
    .then { number in
      guard number > 0 else { return .rejected(PromiseError.missingValue) }
      return load(number)
    }
    .done { text in print(text) }
}

func title(_ number: Promise<Int>) {
  number
    .map { number in
      print(number)
      return "\(number)"
    }
    .done { text in print(text) }
}
