// expect 2: extraneous argument label 'fulfilled:' in call
// expect: 'when(resolved:)' has been renamed to 'settled(_:)'
import Promises

func show(_ numbers: [Promise<Int>], _ text: Promise<String>) {
  when(fulfilled: numbers).done { numbers in print(numbers) }
  when(fulfilled: numbers[0], text).done { number, text in print(number, text) }
  when(resolved: numbers).done { results in print(results) }
}
