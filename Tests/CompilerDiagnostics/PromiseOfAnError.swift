// expect: 'init(error:)' has been replaced by 'Promise.rejected(_:)'
import Promises

let failed = Promise<Int>(error: PromiseError.missingValue)
