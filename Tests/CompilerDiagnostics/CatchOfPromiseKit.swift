// expect 2: 'catch' has been renamed to 'fail(_:)'
// expect: 'finally' has been renamed to 'always(_:)'
import Promises

func show(_ number: Promise<Int>) {
  number.done { number in print(number) }.catch { error in print(error) }
}

func showToEnd(_ number: Promise<Int>) {
  number
    .done { number in print(number) }
    .catch { error in print(error) }
    .finally { print("end") }
}
