// expect: 'response' is unavailable: use '.status(200)', '.json(value, status: 200)' or '.text(text, status: 200)'
// expect: 'response(status:body:)' is unavailable: use '.json(value, status: 200)' or '.text(text, status: 200)'
// expect: 'string(_:status:)' has been renamed to 'text(_:status:)'
// expect: 'json(encoding:status:)' is unavailable: use '.json(value)'
import Mocking

func mocks() -> [Mock] {
  [
    .response(200),
    .response(status: 200, body: "hello"),
    .string("hello"),
    .json(encoding: ["hello"]),
  ]
}
