// expect: 'get' has been renamed to 'tap(_:)'
import Promises

func show(_ number: Promise<Int>) -> Promise<Int> {
  number.get { number in print(number) }
}
