import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

/// Random operations on a resource and on a plain dictionary have the same results.
@Suite(.gated)
struct ResourceModelTests {
  /// A resource with a counter, a required and a unique member, as a dictionary.
  private struct Model {
    var items: [Int: JSON] = [:]
    var order: [Int] = []
    var counter = 0

    private func problem(_ json: JSON, id: Int?) -> Int? {
      guard !json["name"].isNull else { return 422 }
      let isTaken = items.contains { $0.key != id && $0.value["name"] == json["name"] }
      return isTaken ? 409 : nil
    }

    mutating func create(_ json: JSON) -> (Int, JSON?) {
      let given = json["id"].int
      if json["name"].isNull { return (422, nil) }
      if let given, items[given] != nil { return (409, nil) }
      if let status = problem(json, id: nil) { return (status, nil) }
      let id = given ?? counter + 1
      counter = max(counter, id)
      var item = json
      item["id"] = .int(id)
      items[id] = item
      order.append(id)
      return (201, item)
    }

    mutating func replace(_ id: Int, _ json: JSON) -> (Int, JSON?) {
      guard items[id] != nil else { return (404, nil) }
      if let status = problem(json, id: id) { return (status, nil) }
      var item = json
      item["id"] = .int(id)
      items[id] = item
      return (200, item)
    }

    mutating func delete(_ id: Int) -> (Int, JSON?) {
      guard items.removeValue(forKey: id) != nil else { return (404, nil) }
      order.removeAll { $0 == id }
      return (204, nil)
    }

    var list: JSON { .array(order.compactMap { items[$0] }) }
  }

  private static func item(_ random: inout SeededGenerator) -> JSON {
    var json: JSON = ["n": .int(Int.random(in: 0..<5, using: &random))]
    if Int.random(in: 0..<8, using: &random) > 0 {
      json["name"] = .string("name \(Int.random(in: 0..<30, using: &random))")
    }
    return json
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func aResourceBehavesLikeADictionary(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    var model = Model()
    let resource = Resource("/a") {
      $0.required = ["name"]
      $0.unique = ["name"]
    }
    let transport = resource.transport
    var saved: (ResourceSnapshot, Model)?
    for step in 0..<400 {
      let id = Int.random(in: 1...40, using: &random)
      var expected: (status: Int, json: JSON?) = (200, nil)
      var response: ResourceResponse?
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<8:
        var json = Self.item(&random)
        if Int.random(in: 0..<5, using: &random) == 0 { json["id"] = .int(id) }
        expected = model.create(json)
        response = await transport.send(.post, "/a", json.description)
      case 8..<11:
        let json = Self.item(&random)
        expected = model.replace(id, json)
        response = await transport.send(.put, "/a/\(id)", json.description)
      case 11..<14:
        let change = Self.item(&random)
        expected = model.replace(id, (model.items[id] ?? [:]).merging(change))
        response = await transport.send(.patch, "/a/\(id)", change.description)
      case 14..<17:
        expected = model.delete(id)
        response = await transport.send(.delete, "/a/\(id)")
      case 17:
        expected = (model.items[id] == nil ? 404 : 200, model.items[id])
        response = await transport.send(.get, "/a/\(id)")
      case 18: saved = (resource.snapshot(), model)
      default:
        guard let (snapshot, old) = saved, Bool.random(using: &random) else { continue }
        resource.restore(snapshot)
        model = old
      }
      if let response {
        #expect(response.status == expected.status, "step \(step): \(response.text)")
        if let json = expected.json { #expect(response.json == json, "step \(step)") }
      }
      #expect(resource.count == model.items.count, "step \(step)")
    }
    #expect(await transport.send(.get, "/a").json == model.list)
    #expect(JSON.array(resource.items) == model.list)
    resource.reset()
    #expect(resource.items == [])
  }

  @Test func concurrentRequestsAreAtomic() async {
    let resource = Resource("/a") { $0.unique = ["n"] }
    let transport = resource.transport
    let statuses = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var statuses: [Int] = []
          for n in 0..<100 {
            statuses.append(await transport.send(.post, "/a", #"{"n":\#(n)}"#).status)
          }
          return statuses
        }
      }
      return await group.reduce(into: [Int]()) { $0 += $1 }
    }
    #expect(statuses.filter { $0 == 201 }.count == 100)
    #expect(statuses.filter { $0 == 409 }.count == 300)
    #expect(Set(resource.items.map { $0["id"] }).count == 100)
  }

  @Test func concurrentChangesOfOneItemAreAllKept() async throws {
    let resource = try Resource("/a", data: [["id": 1, "n": 0]])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            try resource.update(id: 1) { item in
              let n = item["n"].int ?? 0
              item["n"] = .int(n + 1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(resource[1]?["n"] == 400)
  }
}
