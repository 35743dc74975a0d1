import Foundation
import Mocking
import MockingDocuments
import MockingTemplates
import Networking

extension StubValue {
  /// The bodies that are streams.
  static let streamBodyKeys = ["events", "lines"]
  /// The members that only a response with a stream has.
  static let streamOptionKeys = ["every", "repeat"]
  /// The members for interim responses and for fields after the body.
  static let messageKeys = ["interim", "trailers"]

  /// Parses a server-sent event: an object, or a string with its data.
  fileprivate func event() throws(JSONDocumentError) -> MockEvent {
    if case .string(let text) = json { return MockEvent(text) }
    let object = try object(
      ["data", "event", "id", "retry", "after"],
      "an event, such as {\"event\": \"tick\", \"data\": {\"n\": 1}}")
    let data = try object.required("data", "a string or a JSON value")
    let retry = try object["retry"]?.duration()
    let delay = try object["after"]?.duration()
    return MockEvent(
      try data.eventData(), event: try object["event"]?.line(), id: try object["id"]?.line(),
      retry: retry, after: delay)
  }

  /// Parses the templates of an event, whose form has been checked.
  fileprivate func eventTemplate(
    in scope: TemplateScope
  ) throws(JSONDocumentError) -> StreamTemplate.Event {
    if case .string = json { return StreamTemplate.Event(data: try template(in: scope)) }
    let object = try object(["data", "event", "id", "retry", "after"], "an event")
    let data = try object.required("data", "a string or a JSON value")
    let isText = if case .string = data.json { true } else { false }
    let content = isText ? try data.template(in: scope) : try data.jsonTemplate(in: scope)
    return StreamTemplate.Event(
      data: content, event: try object["event"]?.template(in: scope),
      id: try object["id"]?.template(in: scope), retry: try object["retry"]?.duration(),
      delay: try object["after"]?.duration())
  }

  /// Returns a string as it is, and another value as JSON.
  private func eventData() throws(JSONDocumentError) -> String {
    if case .string(let text) = json { return text }
    do {
      return String(decoding: try json.data(), as: UTF8.self)
    } catch {
      throw expected("a JSON value")
    }
  }

  private func line() throws(JSONDocumentError) -> String {
    let text = try string()
    guard text.unicodeScalars.allSatisfy({ $0 != "\r" && $0 != "\n" && $0 != "\0" }) else {
      throw expected("a string without line breaks")
    }
    return text
  }

  /// Parses the repetition of a stream.
  fileprivate func repetition() throws(JSONDocumentError) -> MockStream.Repetition {
    if case .bool(let isEndless) = json { return isEndless ? .forever : .once }
    return .times(try int(1...1_000_000, "true, or a number from 1 to 1000000"))
  }

  /// Returns a mock with another interim response.
  fileprivate func addInterimResponse(to mock: Mock) throws(JSONDocumentError) -> Mock {
    let object = try object(
      ["status", "headers"],
      "an interim response, such as {\"status\": 103, \"headers\": {\"Link\": \"...\"}}")
    let status = try object.required("status", "a status from 102 to 199").int(
      102...199, "a status from 102 to 199")
    var headers = HTTPHeaders()
    try object["headers"]?.addHeaders(to: &headers)
    return mock.interim(status, headers: headers)
  }

  /// Parses the fields after the body.
  fileprivate func trailers() throws(JSONDocumentError) -> HTTPHeaders {
    var trailers = HTTPHeaders()
    for (name, value) in try members("an object of header fields") {
      guard HTTPHeaders.Field(name: name, value: "").isTrailer else {
        throw JSONDocumentError(
          path: value.path, refersToName: true,
          text: "the field \(name.debugDescription) must not be sent after the body")
      }
    }
    try addHeaders(to: &trailers)
    return trailers
  }
}

extension StubObject {
  /// Parses the body of a response that is a stream.
  ///
  /// - Parameters:
  ///   - name: The name of the member, `events` or `lines`.
  ///   - value: The value of the member.
  /// - Returns: The mock.
  /// - Throws: ``JSONDocumentError``.
  func stream(_ name: String, _ value: StubValue) throws(JSONDocumentError) -> Mock {
    for other in ["bytesPerSecond", "dribble"] {
      if let conflict = self[other] { throw conflict.conflict(with: name) }
    }
    let interval = try self["every"]?.duration() ?? .zero
    let repetition = try self["repeat"]?.repetition() ?? .once
    let values = try value.elements(
      name == "events" ? "an array of events" : "an array of JSON values")
    guard name == "events" else {
      return .lines(values.map(\.json), every: interval, repeats: repetition)
    }
    var events: [MockEvent] = []
    for value in values { events.append(try value.event()) }
    return .events(events, every: interval, repeats: repetition)
  }

  /// Returns the templates of a stream, or `nil` if the body is none or has no templates.
  func streamTemplate(in scope: TemplateScope) throws(JSONDocumentError) -> StreamTemplate? {
    guard let name = StubValue.streamBodyKeys.first(where: { self[$0] != nil }),
      let value = self[name], Template.isTemplate(value.json)
    else { return nil }
    let interval = try self["every"]?.duration() ?? .zero
    let repetition = try self["repeat"]?.repetition() ?? .once
    let values = try value.elements("an array")
    let items: StreamTemplate.Items
    if name == "events" {
      var events: [StreamTemplate.Event] = []
      for value in values { events.append(try value.eventTemplate(in: scope)) }
      items = .events(events)
    } else {
      var lines: [Template] = []
      for value in values { lines.append(try value.jsonTemplate(in: scope)) }
      items = .lines(lines)
    }
    return StreamTemplate(items: items, interval: interval, repetition: repetition)
  }

  private func refuseTemplates(in value: StubValue, _ name: String) throws(JSONDocumentError) {
    guard self["template"]?.json != false, Template.isTemplate(value.json) else { return }
    throw JSONDocumentError(
      path: value.path, refersToName: true,
      text: "\"\(name)\" cannot have templates; \"template\": false sends the braces as they are")
  }

  /// Parses the interim responses and the fields after the body, and refuses the options of a stream
  /// for another body.
  func addMessageParts(to mock: inout Mock) throws(JSONDocumentError) {
    if StubValue.streamBodyKeys.allSatisfy({ self[$0] == nil }) {
      for name in StubValue.streamOptionKeys {
        guard let value = self[name] else { continue }
        throw JSONDocumentError(
          path: value.path, refersToName: true,
          text: "\"\(name)\" requires \"events\" or \"lines\"")
      }
    }
    for name in StubValue.messageKeys {
      if let value = self[name] { try refuseTemplates(in: value, name) }
    }
    for value in try self["interim"]?.elements("an array of interim responses") ?? [] {
      mock = try value.addInterimResponse(to: mock)
    }
    if let trailers = self["trailers"] {
      mock = mock.trailers(try trailers.trailers())
    }
  }
}
