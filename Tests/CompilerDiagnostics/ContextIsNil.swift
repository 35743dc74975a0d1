// expect 2: 'nil' is not compatible with expected argument type 'ExecutionContext'
import Promises

func show(_ names: Promise<[String]>) {
  names.done(on: nil) { names in print(names) }
}

func count(_ names: Promise<[String]>) -> Promise<Int> {
  names.then(on: nil) { names in names.count }
}
