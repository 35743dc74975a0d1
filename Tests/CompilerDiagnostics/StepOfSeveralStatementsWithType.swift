// compiles
import Networking

func load(_ number: Int) -> Promise<String> { .fulfilled("\(number)") }

func show(_ number: Promise<Int>) {
  number
    .then { number -> Promise<String> in
      guard number > 0 else { return .rejected(PromiseError.missingValue) }
      return load(number)
    }
    .map { text -> String in
      print(text)
      return text + "!"
    }
    .tap { text in
      print(text)
      print(text)
    }
    .done { text in print(text) }
}
