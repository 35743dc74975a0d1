// expect: instance method 'wait' is unavailable from asynchronous contexts; await the promise's value instead
import Networking

func number() async throws -> Int {
  try after(.zero).map { 1 }.wait()
}
