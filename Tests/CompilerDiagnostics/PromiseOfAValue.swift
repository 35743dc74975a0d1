// expect 2: 'value' has been renamed to 'fulfilled(_:)'
// expect: 'init(value:)' has been replaced by 'Promise.fulfilled(_:)'
import Promises

let first = Promise.value(1)
let second = Promise(value: 1)

func third() -> Promise<Int> { .value(1) }
