// expect: 'delay' has been renamed to 'delayed(by:)'
// expect: 'after' has been renamed to 'delayed(by:)'
// expect: 'delay' is unavailable: begin with the response: '.status(200).delayed(by: .seconds(1))'
// expect: 'delay' is unavailable: a delay has a unit: '.delayed(by: .seconds(1))'
// expect: 'delayed(by:)' is unavailable: a delay has a unit: '.delayed(by: .seconds(1))'
// expect: 'json(_:status:delay:)' is unavailable: a delay follows the response: '.json(value).delayed(by: .seconds(1))'
import Mocking

func mocks() -> [Mock] {
  [
    .json([]).delay(.seconds(1)),
    .json([]).after(.seconds(1)),
    .delay(.seconds(1)),
    .json([]).delay(0.5),
    .json([]).delayed(by: 2),
    .json([], delay: .seconds(1)),
  ]
}
