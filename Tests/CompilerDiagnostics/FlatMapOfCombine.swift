// expect: 'flatMap' has been renamed to 'then(_:)'
import Promises

func load(_ id: Int) -> Promise<String> { .fulfilled("\(id)") }

func show(_ id: Promise<Int>) {
  id.flatMap { id in load(id) }.done { text in print(text) }
}
