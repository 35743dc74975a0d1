import Foundation
import Networking
import Promises

/// The parsed templates of a body of events or lines.
///
/// All items are rendered when the response starts, so a repeated item is the same each time.
struct StreamTemplate: Sendable {
  /// A server-sent event.
  struct Event: Sendable {
    enum Content: Sendable {
      case text(TemplateText)
      case json(TemplateJSON)
    }

    let data: Content
    var event: TemplateText?
    var id: TemplateText?
    var retry: Duration?
    var delay: Duration?
  }

  enum Items: Sendable {
    case events([Event])
    case lines([TemplateJSON])
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
        try add(.init(Data(try line.render(&rendering) + [UInt8(ascii: "\n")])))
      }
    }
    return MockStream(rendered, every: interval, repeats: repetition)
  }
}

extension StreamTemplate.Event {
  fileprivate func event(
    _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) -> MockEvent {
    let text =
      switch data {
      case .text(let template): try template.render(&rendering)
      case .json(let template): String(decoding: try template.render(&rendering), as: UTF8.self)
      }
    var mock = MockEvent(text, retry: retry, after: delay)
    if let event { mock.event = try event.render(&rendering) }
    if let id { mock.id = try id.render(&rendering) }
    return mock
  }
}
