import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

@Suite(.gated)
struct ResourceQueryTests {
  private static let items: [JSON] = [
    ["id": 1, "title": "Balsa Fish", "price": 20, "color": "red", "tags": ["a", "b"]],
    ["id": 2, "title": "Ply", "price": 9.5, "color": "blue", "author": ["name": "Ann"]],
    ["id": 3, "title": "balsa Egg", "price": 20, "color": "red", "sold": true],
    ["id": 4, "title": "Foam", "price": 100, "color": nil, "max_lt": "x"],
    ["id": 5, "title": "Ä & +", "price": "free", "tags": []],
  ]

  private let transport: MockTransport

  init() throws {
    transport = try Resource("/boards", data: Self.items).transport
  }

  private func list(_ query: String) async -> ResourceResponse {
    await transport.send(.get, "/boards?\(query)")
  }

  @Test(arguments: [
    ("", [1, 2, 3, 4, 5]), ("color=red", [1, 3]), ("color=red&color=blue", [1, 2, 3]),
    ("color=red&price=20&title=Balsa%20Fish", [1]), ("color=Red", []), ("missing=1", []),
    ("id=2", [2]), ("price=9.50", [2]), ("price=20.0", [1, 3]), ("sold=true", [3]),
    ("color=null", [4]), ("author.name=Ann", [2]), ("tags=b", [1]), ("tags.0=a", [1]),
    ("title=%C3%84+%26+%2B", [5]),
    ("color_ne=red", [2, 4, 5]), ("color_ne=red&color_ne=blue", [4, 5]),
    ("price_gte=20", [1, 3, 4]), ("price_gt=20", [4]), ("price_lt=20", [2]),
    ("price_lte=20&price_gte=10", [1, 3]), ("title_gt=Foam", [2, 3, 5]),
    ("title_like=BALSA", [1, 3]), ("title_contains=a", [1, 3, 4]), ("tags_like=A", [1]),
    ("title_startsWith=balsa", [1, 3]), ("id_in=1,4,9", [1, 4]), ("color_in=red,blue", [1, 2, 3]),
    ("price:gte=20", [1, 3, 4]), ("color:ne=red", [2, 4, 5]), ("id:in=1,4,9", [1, 4]),
    ("color:eq=blue", [2]), ("title:startsWith=balsa", [1, 3]), ("author.name:contains=an", [2]),
    ("title_endsWith=FISH", [1]), ("title:endsWith=egg", [3]), ("price:about=20", []),
    ("max_lt=x", [4]), ("q=FISH", [1]), ("q=ann", [2]), ("q=%C3%A4", [5]), ("q=100", [4]),
    ("q=", [1, 2, 3, 4, 5]), ("_=123", [1, 2, 3, 4, 5]),
  ])
  func filtersSelectItems(query: String, ids: [Int]) async {
    #expect(await list(query).ids == ids.map { .int($0) })
  }

  @Test(arguments: [
    ("price", [2, 1, 3, 4, 5]), ("-price", [5, 4, 1, 3, 2]), ("price,-id", [2, 3, 1, 4, 5]),
    ("color,-price", [5, 4, 2, 1, 3]), ("author.name,id", [1, 3, 4, 5, 2]),
    ("-sold", [3, 1, 2, 4, 5]),
  ])
  func aListIsSortedAndEqualItemsKeepTheirOrder(sort: String, ids: [Int]) async {
    #expect(await list("_sort=\(sort)").ids == ids.map { .int($0) })
  }

  @Test func theOrderMayBeASeparateParameter() async {
    #expect(await list("_sort=color,id&_order=asc,desc").ids == [5, 4, 2, 3, 1])
  }

  @Test func aPageHasLinksAndTheTotalCount() async {
    let page = await list("color_ne=x&_page=2&_limit=2")
    #expect(page.ids == [3, 4])
    #expect(page.headers["X-Total-Count"] == "5")
    #expect(
      page.headers["Link"]
        == "</boards?color_ne=x&_limit=2&_page=1>; rel=\"first\", "
        + "</boards?color_ne=x&_limit=2&_page=1>; rel=\"prev\", "
        + "</boards?color_ne=x&_limit=2&_page=3>; rel=\"next\", "
        + "</boards?color_ne=x&_limit=2&_page=3>; rel=\"last\"")
    let last = await list("_page=3&_limit=2")
    #expect(last.ids == [5])
    #expect(last.headers["Link"]?.contains("next") == false)
    #expect(await list("_page=9&_limit=2").ids == [])
    #expect(await list("_page=9223372036854775807&_limit=9223372036854775807").ids == [])
    #expect(await list("_limit=2").ids == [1, 2])
  }

  @Test(arguments: [
    ("_page=2&_per_page=2", [3, 4]), ("_start=1&_end=3", [2, 3]), ("_start=3", [4, 5]),
    ("_end=2", [1, 2]), ("_start=1&_limit=2", [2, 3]), ("_start=9&_end=12", []),
  ])
  func theParametersOfJSONServerSelectAPage(query: String, ids: [Int]) async {
    #expect(await list(query).ids == ids.map { .int($0) })
  }

  @Test func aPageByItsEndsHasLinksThatContinueIt() async {
    let page = await list("_start=2&_end=4")
    #expect(page.ids == [3, 4])
    #expect(
      page.headers["Link"]?.contains("</boards?_limit=2&_offset=4>; rel=\"next\"") == true)
    #expect(await list("_limit=2&_offset=4").ids == [5])
    for query in ["_start=2&_end=2", "_end=0", "_start=-1", "_per_page=0", "_start=x"] {
      #expect(await list(query).status == 400, "\(query)")
    }
  }

  @Test func anOffsetSkipsItems() async {
    let page = await list("_offset=1&_limit=2")
    #expect(page.ids == [2, 3])
    #expect(page.headers["Link"]?.contains("</boards?_limit=2&_offset=3>; rel=\"next\"") == true)
    #expect(page.headers["Link"]?.contains("</boards?_limit=2&_offset=4>; rel=\"last\"") == true)
    #expect(await list("_offset=3").ids == [4, 5])
    #expect(await list("_offset=9223372036854775807&_limit=1").ids == [])
  }

  @Test func cursorsVisitEachItemOnceWhileItemsAreDeleted() async {
    let first = await list("_cursor=&_limit=2&_sort=-id")
    #expect(first.ids == [5, 4])
    let cursor = first.headers["X-Next-Cursor"] ?? ""
    #expect(first.headers["Link"]?.contains("_cursor=\(cursor)>; rel=\"next\"") == true)
    // Neither the deletion of a visited item nor a new item moves the next page.
    _ = await transport.send(.delete, "/boards/5")
    _ = await transport.send(.post, "/boards", #"{"id":6}"#)
    let second = await list("_cursor=\(cursor)&_limit=2&_sort=-id")
    #expect(second.ids == [3, 2])
    let last = await list("_cursor=\(second.headers["X-Next-Cursor"] ?? "")&_limit=2&_sort=-id")
    #expect(last.ids == [1])
    #expect(last.headers["X-Next-Cursor"] == nil)
  }

  @Test func aCursorSurvivesTheDeletionOfItsItem() async {
    let cursor = await list("_cursor=&_limit=2").headers["X-Next-Cursor"] ?? ""
    _ = await transport.send(.delete, "/boards/2")
    #expect(await list("_cursor=\(cursor)&_limit=2").ids == [4, 5])
  }

  @Test func fieldsSelectMembers() async {
    #expect(
      await list("_fields=title,id,missing&id=2").text == #"[{"id":2,"title":"Ply"}]"#)
  }

  @Test func thePageSizeAndTheNamesOfParametersAreOptions() async throws {
    let resource = try Resource("/boards", data: Self.items) {
      $0.pageSize = 2
      $0.maximumPageSize = 3
      $0.parameters.page = "page"
      $0.parameters.limit = "size"
    }
    let transport = resource.transport
    #expect(await transport.send(.get, "/boards").ids == [1, 2])
    #expect(await transport.send(.get, "/boards?page=2").ids == [3, 4])
    #expect(await transport.send(.get, "/boards?size=100").ids == [1, 2, 3])
  }

  @Test func theWorkForAQueryIsBounded() async {
    let long = String(repeating: "a", count: 257)
    #expect(await list("q=\(long)").status == 400)
    #expect(await list("title_like=\(long)").status == 400)
    #expect(await list("title=\(long)").status == 200)
    #expect(await list(Array(repeating: "id=1", count: 101).joined(separator: "&")).status == 400)
    let values = Array(repeating: "1", count: 1_001).joined(separator: ",")
    #expect(await list("id_in=\(values)").status == 400)
    #expect(await list("id_in=\(values.dropLast(2))").status == 200)
    #expect(
      await list("_sort=\(Array(repeating: "id", count: 11).joined(separator: ","))").status == 400)
  }

  @Test func aPageOfTenThousandItemsIsAsOfFew() async throws {
    let items = (1...10_000).map { JSON.dictionary(["id": .int($0), "n": .int($0 % 10)]) }
    let transport = try Resource("/many", data: items).transport
    let page = await transport.send(.get, "/many?n=3&_sort=-id&_page=2&_limit=2")
    #expect(page.ids == [9973, 9963])
    #expect(page.headers["X-Total-Count"] == "1000")
  }
}
