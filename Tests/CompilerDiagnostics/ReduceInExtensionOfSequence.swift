// expect: use of 'reduce' refers to instance method rather than global function
import Networking

extension [Int] {
  func total() -> Promise<Int> {
    reduce(self, 0) { sum, number in .fulfilled(sum + number) }
  }
}
