// expect: 'receive(on:)' is unavailable: use on(.main), or done(on: .main) { value in }
import Dispatch
import Promises

func show(_ number: Promise<Int>) {
  number.receive(on: DispatchQueue.main).done { number in print(number) }
}
