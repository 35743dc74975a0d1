// expect 2: 'sink(receiveCompletion:receiveValue:)' is unavailable: use done { value in } and fail { error in }
import Promises

func show(_ number: Promise<Int>) {
  number.sink { number in print(number) }
  number.sink(
    receiveCompletion: { completion in print(completion) },
    receiveValue: { number in print(number) })
}
