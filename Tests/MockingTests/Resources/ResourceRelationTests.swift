import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources
@testable import MockingStubs

/// Related items (`_embed`, `_expand`) and single objects.
@Suite(.gated)
struct ResourceRelationTests {
  private static let blog = #"""
    {"routes": [
      {"resource": "/posts", "data": [{"id": 1, "title": "a", "authorId": 7}, {"id": 2, "title": "b", "authorId": 9}]},
      {"resource": "/posts/{post}/comments", "nestedPaths": ["/comments"],
       "data": [{"id": 1, "postId": 1, "text": "x"}, {"id": 2, "postId": 1, "text": "y"}]},
      {"resource": "/likes", "references": {"target": "/posts"}, "data": [{"id": 1, "target": 2}]},
      {"resource": "/authors", "data": [{"id": 7, "name": "Ada"}]}
    ]}
    """#

  @Test(arguments: [
    (
      "/posts?_embed=comments",
      #"[{"id":1,"title":"a","authorId":7,"comments":[{"id":1,"postId":1,"text":"x"},{"id":2,"postId":1,"text":"y"}]},{"id":2,"title":"b","authorId":9,"comments":[]}]"#
    ),
    (
      "/posts/2?_embed=likes&_expand=author",
      #"{"id":2,"title":"b","authorId":9,"likes":[{"id":1,"target":2}],"author":null}"#
    ),
    (
      "/posts/1?_embed=author", #"{"id":1,"title":"a","authorId":7,"author":{"id":7,"name":"Ada"}}"#
    ),
    (
      "/comments?_expand=post&_fields=id&_limit=1",
      #"[{"id":1,"post":{"id":1,"title":"a","authorId":7}}]"#
    ),
  ])
  func relatedItemsAreAdded(target: String, text: String) async throws {
    let transport = try StubFixture(Self.blog).transport()
    let response = await transport.send(.get, target)
    #expect(response.text == text)
    let again = await transport.send(
      .get, target, nil, ["If-None-Match": response.headers["ETag"] ?? ""])
    #expect(again.status == 304)
  }

  @Test func anUnknownRelationIsRefusedWithTheKnownOnes() async throws {
    let transport = try StubFixture(Self.blog).transport()
    let response = await transport.send(.get, "/posts?_embed=coments")
    #expect(response.status == 400)
    #expect(response.json["detail"].string?.contains("relations: comments, likes") == true)
    #expect(await transport.send(.get, "/posts/1?_expand=blog").status == 400)
  }

  @Test func theTagChangesWithARelatedItem() async throws {
    let transport = try StubFixture(Self.blog).transport()
    let before = await transport.send(.get, "/posts?_embed=comments")
    _ = await transport.send(.patch, "/comments/1", #"{"text": "z"}"#)
    let after = await transport.send(.get, "/posts?_embed=comments")
    #expect(before.headers["ETag"] != after.headers["ETag"])
  }

  // MARK: Flat resources

  private static let flat = #"""
    {"routes": [
      {"resource": "/posts", "data": [{"id": 1}, {"id": 2}]},
      {"resource": "/comments", "data": [{"id": 1, "postId": 1}, {"id": 2, "postId": 2}, {"id": 3, "postId": 1}]},
      {"resource": "/comments/{comment}/votes", "onParentDelete": "refuse", "data": [{"id": 1, "commentId": 2}]}
    ]}
    """#

  @Test func dependentItemsAreDeletedIfTheRequestSaysSo() async throws {
    let transport = try StubFixture(Self.flat).transport()
    let unknown = await transport.send(.delete, "/posts/1?_dependent=coments")
    #expect(unknown.status == 400)
    #expect(unknown.json["detail"].string?.contains("relations: comments") == true)
    #expect(await transport.send(.get, "/posts/1").status == 200)
    #expect(await transport.send(.delete, "/posts/1?_dependent=comments").status == 204)
    #expect(await transport.send(.get, "/comments").ids == [2])
    // A comment with votes is not deleted, and neither is its post.
    #expect(await transport.send(.delete, "/posts/2?_dependent=comments").status == 409)
    #expect(await transport.send(.get, "/posts").ids == [2])
    #expect(await transport.send(.delete, "/posts/2").status == 204)
    #expect(await transport.send(.get, "/comments").ids == [2])
    // The votes refuse the removal of their comment, unless they are removed with it.
    #expect(await transport.send(.delete, "/comments/2").status == 409)
    #expect(await transport.send(.delete, "/comments/2?_dependent=votes,votes").status == 204)
    #expect(await transport.send(.get, "/comments").ids.isEmpty)
  }

  #if os(Linux) || os(macOS)
    @Test func aPathBelowAnItemNamesTheSpellingForFlatItems() async throws {
      let stubs = try StubFixture(Self.flat)
      let server = try MockServer(stubs: stubs.file)
      let record = await PlatformTransport.make().get(
        server.url.appending(path: "posts/1/comments"))
      #expect(record.head?.status == 404)
      let text = String(decoding: record.body, as: UTF8.self)
      #expect(
        text.contains(
          "GET /comments?postId=1 lists them; \"nestedPaths\": [\"/posts/{post}/comments\"] of the "
            + "resource /comments adds the path"), "\(text)")
      let other = await PlatformTransport.make().get(server.url.appending(path: "posts/1/likes"))
      #expect(!String(decoding: other.body, as: UTF8.self).contains("lists them"))
    }
  #endif

  // MARK: Single objects

  @Test func aSingleObjectIsReadReplacedAndChanged() async throws {
    let transport = try StubFixture(
      #"{"routes": [{"resource": "/profile", "required": ["name"], "data": {"name": "Ada", "id": 3}}]}"#
    ).transport()
    #expect(await transport.send(.get, "/profile").text == #"{"name":"Ada","id":3}"#)
    #expect(await transport.send(.patch, "/profile", #"{"age": 36, "id": 4}"#).status == 200)
    #expect(await transport.send(.get, "/profile").text == #"{"name":"Ada","id":4,"age":36}"#)
    #expect(await transport.send(.put, "/profile", #"{"name": "Bob"}"#).text == #"{"name":"Bob"}"#)
    #expect(await transport.send(.put, "/profile", "{}").pointers == ["#/name"])
    #expect(await transport.send(.post, "/profile", "{}").status == 405)
    #expect(await transport.send(.delete, "/profile").status == 405)
    let tag = await transport.send(.get, "/profile").headers["ETag"] ?? ""
    let stale = await transport.send(.put, "/profile", #"{"name": "C"}"#, ["If-Match": "\"x\""])
    #expect(stale.status == 412)
    #expect(
      await transport.send(.put, "/profile", #"{"name": "C"}"#, ["If-Match": tag]).status == 200)
  }

  private struct Profile: Codable, Sendable, Equatable {
    var name: String
  }

  @Test func aSingleObjectHasAValueInSwift() async throws {
    let profile = try Resource("/profile", object: Profile(name: "Ada"))
    #expect(profile.object == Profile(name: "Ada"))
    #expect(
      await profile.transport.send(.put, "/profile", #"{"name": "Bob"}"#).text
        == #"{"name":"Bob"}"#)
    #expect(await profile.transport.send(.put, "/profile", #"{"name": 1}"#).status == 422)
    try profile.update(Profile(name: "Eve"))
    #expect(profile.object == Profile(name: "Eve"))
    profile.reset()
    #expect(profile.object == Profile(name: "Ada"))
    #expect(try Resource("/a", object: ["b": 1]).object == ["b": 1])
  }

  @Test func aSingleObjectSurvivesARestart() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("data.json")
    for name in ["Bob", "Eve"] {
      let store = ResourceStore()
      let profile = try Resource("/profile", object: ["name": "Ada"], in: store)
      try store.open(file)
      #expect(profile.object == ["name": name == "Bob" ? "Ada" : "Bob"])
      try profile.update(["name": .string(name)])
      store.close()
    }
  }
}
