// expect: declared closure result 'Promise<String>' is incompatible with contextual type 'Void'
// expect: cannot convert value of type 'Int' to closure result type 'Void'
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
