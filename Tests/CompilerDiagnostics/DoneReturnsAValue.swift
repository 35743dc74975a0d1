// expect 2: 'done' is unavailable: it only observes; use then { value in }
import Promises

func load(_ id: Int) -> Promise<String> { .fulfilled("\(id)") }

func show(_ id: Promise<Int>) {
  id.done { id -> Promise<String> in load(id) }.fail { error in print(error) }
}

func next(_ id: Promise<Int>) {
  id.done { id in
    print(id)
    return id + 1
  }
}
