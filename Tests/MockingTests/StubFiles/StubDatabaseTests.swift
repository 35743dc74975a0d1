import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// The database of json-server as a stub file, and as the data of resources.
@Suite(.gated)
struct StubDatabaseTests {
  private static let database = #"""
    {
      "posts": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}],
      "comments": [{"id": 1, "postId": 1}],
      "tags": ["x"],
      "profile": {"name": "Ada"}
    }
    """#
  private static let resources =
    #"{"resource": "/comments", "data": "db.json#/comments"}, "#
    + #"{"resource": "/posts", "data": "db.json#/posts"}, "#
    + #"{"resource": "/profile", "data": "db.json#/profile"}"#

  /// Returns a stub file beside the database.
  private static func fixture(_ routes: String) throws -> StubFixture {
    let fixture = try StubFixture("{\"routes\": [\(routes)]}")
    try Data(database.utf8).write(to: fixture.folder.url("db.json"))
    return fixture
  }

  @Test func aDatabaseAsAStubFileNamesTheStubFileThatServesIt() async throws {
    let fixture = try Self.fixture(Self.resources)
    let file = fixture.folder.url("db.json")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: file) }
    #expect(
      error?.description.hasSuffix(
        "these are the collections of a database of json-server; serve them by another file in the "
          + "same folder, with {\"routes\": [\(Self.resources)]}") == true,
      "\(error?.description ?? "")"
    )
    // The stub file of the message.
    let stubs = try StubFile(contentsOf: fixture.file)
    #expect(stubs.warnings.isEmpty)
    #expect(stubs.files.map(\.lastPathComponent).contains("db.json"))
    let transport = try fixture.transport()
    #expect(await transport.send(.get, "/posts").ids == [1, 2])
    #expect(
      await transport.send(.get, "/posts/1?_embed=comments").json["comments"].array?.count == 1)
    #expect(await transport.send(.get, "/profile").text == #"{"name":"Ada"}"#)
    // The members of other collections are no members of posts.
    let filtered = await transport.send(.get, "/posts?postId=1")
    #expect(filtered.headers["X-Mock-Warning"] != nil)
  }

  @Test(arguments: [
    #"{"roots": [{"path": "/a"}]}"#, #"{"roots": []}"#, #"{"a": [{"id": 1}], "b": 1}"#,
    #"{"posts": [{"id": 1}], "routes": 1}"#,
  ])
  func anotherMistakeIsNoDatabase(text: String) throws {
    let fixture = try StubFixture(text)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: fixture.file) }
    #expect(error?.description.contains("json-server") == false)
  }

  @Test func collectionsThatAreServedAsOneObjectAreAWarning() throws {
    let fixture = try Self.fixture(#"{"resource": "/db", "data": "db.json"}"#)
    let warnings = try StubFile(contentsOf: fixture.file).warnings.map(\.description)
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasSuffix(
        "routes[0].data: db.json is served as one object; to serve its collections, write "
          + Self.resources) == true, "\(warnings)")
    try Data(#"{"name": "Ada", "roles": [{"id": 1}]}"#.utf8).write(
      to: fixture.folder.url("db.json"))
    #expect(try StubFile(contentsOf: fixture.file).warnings.isEmpty)
  }

  @Test(arguments: [
    ("db.json#/posst", "db.json has no member /posst; its collections: comments, posts, profile"),
    ("db.json#/posts/0", "db.json has no member /posts/0"),
    ("db.json#/profile/name", "db.json#/profile/name: expected an array of items, or one object"),
    ("other.json#/posts", "there is no file \"other.json\""),
  ])
  func aMemberThatCannotBeServedIsAnError(name: String, message: String) throws {
    let fixture = try Self.fixture("{\"resource\": \"/a\", \"data\": \"\(name)\"}")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: fixture.file) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
