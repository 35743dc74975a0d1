// expect: 'all' has been renamed to 'when(_:)'
import Promises

func show(_ numbers: [Promise<Int>]) {
  all(numbers).done { numbers in print(numbers) }
}
