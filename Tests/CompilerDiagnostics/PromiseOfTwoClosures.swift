// compiles
import Promises

func load(_ id: Int) -> Promise<String> { .fulfilled("\(id)") }

let number = Promise<Int> { fulfill, reject in
  if Bool.random() { fulfill(1) } else { reject(PromiseError.missingValue) }
}
let text = Promise<String> { resolver in resolver.fulfill("1") }

func show() {
  firstly { load(1) }
    .then { text in load(text.count) }
    .done { text in print(text) }
    .fail { error in print(error) }
}
