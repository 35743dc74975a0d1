import Foundation
import Mocking
import MockingTemplates
import Networking
import Promises

/// The parsed templates of a body of events or lines.
///
/// All items are rendered when the response starts, so a repeated item is the same each time.
struct StreamTemplate: Sendable {
  /// A server-sent event.
  struct Event: Sendable {
    let data: Template
    var event: Template?
    var id: Template?
    var retry: Duration?
    var delay: Duration?
  }

  enum Items: Sendable {
    case events([Event])
    case lines([Template])
  }

  let items: Items
  let interval: Duration
  let repetition: MockStream.Repetition

  /// Returns the rendered stream.
  func stream(_ rendering: inout TemplateRendering) throws(TemplateRenderError) -> MockStream {
    var rendered: [MockStream.Item] = []
    var byteCount = 0
    func add(_ item: MockStream.Item) throws(TemplateRenderError) {
      byteCount += item.data.count
      guard byteCount <= TemplateRendering.outputLimit else { throw .tooLarge }
      rendered.append(item)
    }
    switch items {
    case .events(let events):
      for event in events {
        let mock = try event.event(&rendering)
        try add(.init(mock.bytes, after: mock.delay))
      }
    case .lines(let lines):
      for line in lines {
        try add(.init(try line.data(&rendering) + [UInt8(ascii: "\n")]))
      }
    }
    return MockStream(rendered, every: interval, repeats: repetition)
  }
}

extension StreamTemplate.Event {
  fileprivate func event(
    _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) -> MockEvent {
    var mock = MockEvent(try data.text(&rendering), retry: retry, after: delay)
    if let event { mock.event = try event.text(&rendering) }
    if let id { mock.id = try id.text(&rendering) }
    return mock
  }
}
