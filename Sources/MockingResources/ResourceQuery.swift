import CatenaSystem
import Foundation
import Mocking
import Networking

/// The query of a request for a list: filters, a search, an order and a page.
struct ResourceQuery {
  /// A page style of a request.
  enum Paging: Equatable {
    case all
    case page(Int, size: Int)
    case offset(Int, size: Int?)
    /// The items after an index and an id; `nil` for the first page.
    case cursor(after: Cursor?, size: Int)
  }

  /// The position after the last item of a page.
  struct Cursor: Equatable {
    /// The index of the next item, used if the last item no longer exists.
    let index: Int
    /// The id of the last item.
    let id: String
  }

  /// The items of a page.
  struct Page {
    var items: [ResourceItem] = []
    /// The number of items of all pages.
    var total = 0
    var next: Cursor?
  }

  private struct SortKey {
    let path: [String]
    let isDescending: Bool
  }

  private(set) var paging = Paging.all
  private(set) var fields: [String] = []
  private var filters: [ResourceFilter] = []
  /// The filters of members that no item has.
  private(set) var warning: String?
  private var search: [UInt8] = []
  private var sortKeys: [SortKey] = []

  /// Parses a query.
  ///
  /// Each parameter that has no other meaning is a filter of a member. The parameter `_` is ignored,
  /// because programs add it to avoid caches.
  ///
  /// - Throws: ``ResourceProblem`` with the status 400 for a malformed parameter, or for one that
  ///   begins with `_` and is no name of a member.
  init(
    _ query: RequestQuery, _ options: ResourceOptions, _ order: MemberOrder
  ) throws(ResourceProblem) {
    let names = options.parameters
    var groups: [String: [String]] = [:]
    for item in query.items where !names.known.contains(item.name) && item.name != "_" {
      if Self.otherNames.contains(item.name), !order.contains(item.name) { continue }
      groups[item.name, default: []].append(item.value)
    }
    let values = groups.values.reduce(0) { $0 + $1.count }
    try Self.check(values, atMost: 100, "filters")
    for (name, values) in groups.sorted(by: { $0.key < $1.key }) {
      let filter = ResourceFilter(name, values, isMember: order.contains)
      guard !name.hasPrefix("_") || order.contains(filter.path[0]) else {
        throw ResourceProblem(
          status: 400,
          detail: "unknown parameter \(ReportFormatter.quoted(name)); known parameters: "
            + names.known.joined(separator: ", "))
      }
      try Self.check(filter.longestText, atMost: 256, "bytes in \(name)")
      try Self.check(filter.operandCount, atMost: 1_000, "values in \(name)")
      filters.append(filter)
      if warning == nil { warning = Self.warning(filter.path[0], options, order) }
    }
    search = Array((query[names.search] ?? "").lowercased().utf8)
    try Self.check(search.count, atMost: 256, "bytes in \(names.search)")
    fields = Self.list(query[names.fields])
    try Self.check(fields.count, atMost: 100, "names in \(names.fields)")
    let directions = Self.list(query[names.order])
    let sorted = Self.list(query[names.sort])
    try Self.check(sorted.count, atMost: 10, "names in \(names.sort)")
    for (index, name) in sorted.enumerated() {
      let isReversed =
        directions.indices.contains(index) && directions[index].lowercased() == "desc"
      sortKeys.append(
        SortKey(
          path: ResourceFilter.path(name.hasPrefix("-") ? String(name.dropFirst()) : name),
          isDescending: name.hasPrefix("-") != isReversed))
    }
    paging = try Self.paging(query, options)
  }

  /// The other names of parameters, which json-server has: the size of a page, the index of the first item,
  /// and that of the first item after the page.
  private static let otherNames = ["_per_page"] + rangeNames
  fileprivate static let rangeNames = ["_start", "_end"]

  /// Returns a warning if no item can have a member.
  private static func warning(
    _ name: String, _ options: ResourceOptions, _ order: MemberOrder
  ) -> String? {
    guard !order.contains(name), !options.names.contains(name) else { return nil }
    // The text is the value of a header field.
    let printable = String(
      decoding: name.utf8.prefix(64).filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    let hint = order.nearest(to: name).map { "; did you mean \"\($0)\"?" } ?? ""
    return "no item has the member \"\(printable)\"\(hint)"
  }

  /// Bounds the work for one request.
  private static func check(
    _ count: Int, atMost limit: Int, _ parts: String
  ) throws(ResourceProblem) {
    guard count <= limit else {
      throw ResourceProblem(status: 400, detail: "the query has more than \(limit) \(parts)")
    }
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { String($0).trimmingOptionalWhitespace }
  }

  private static func paging(
    _ query: RequestQuery, _ options: ResourceOptions
  ) throws(ResourceProblem) -> Paging {
    let names = options.parameters
    func number(_ name: String, from least: Int) throws(ResourceProblem) -> Int? {
      guard let text = query[name] else { return nil }
      guard let number = Int(text), number >= least else {
        throw ResourceProblem(
          status: 400, detail: "the parameter \(name) must be a whole number from \(least)")
      }
      return number
    }
    let maximum = max(options.maximumPageSize ?? .max, 1)
    let (own, other) = (try number(names.limit, from: 1), try number("_per_page", from: 1))
    let limit = own ?? other ?? options.pageSize.map { max($0, 1) }
    let size = limit.map { min($0, maximum) } ?? options.maximumPageSize.map { _ in maximum }
    if let text = query[names.cursor] {
      return .cursor(after: try Cursor(text, names.cursor), size: size ?? 10)
    }
    if let offset = try number(names.offset, from: 0) { return .offset(offset, size: size) }
    let (start, end) = (try number("_start", from: 0), try number("_end", from: 1))
    if let end, end <= start ?? 0 {
      throw ResourceProblem(
        status: 400, detail: "the parameter _end must be greater than _start")
    }
    if start != nil || end != nil {
      let start = start ?? 0
      return .offset(start, size: end.map { min($0 - start, maximum) } ?? size)
    }
    if let page = try number(names.page, from: 1) { return .page(page, size: size ?? 10) }
    return size.map { .page(1, size: $0) } ?? .all
  }

  // MARK: Applying

  /// Returns the page of a list.
  func page(of items: [ResourceItem], _ bound: ResourceData.Bound) -> Page {
    var items = items
    if !bound.isEmpty || !filters.isEmpty || !search.isEmpty {
      items = items.filter { item in
        ResourceData.matches(item.json, bound)
          && filters.allSatisfy { $0.matches(item.json) }
          && (search.isEmpty || TextSearch.contains(search, in: item.json))
      }
    }
    if !sortKeys.isEmpty { items = sorted(items) }
    var page = Page(total: items.count)
    let range = range(of: items)
    page.items = range == items.indices ? items : Array(items[range])
    if range.upperBound < items.count, let last = page.items.last {
      page.next = Cursor(index: range.upperBound, id: last.id)
    }
    return page
  }

  private func range(of items: [ResourceItem]) -> Range<Int> {
    func range(from start: Int, count: Int?) -> Range<Int> {
      let start = min(start, items.count)
      return start..<(start + min(count ?? .max, items.count - start))
    }
    switch paging {
    case .all: return items.indices
    case .offset(let start, let size): return range(from: start, count: size)
    case .page(let number, let size):
      let (start, isBeyond) = (number - 1).multipliedReportingOverflow(by: size)
      return range(from: isBeyond ? items.count : start, count: size)
    case .cursor(nil, let size): return range(from: 0, count: size)
    case .cursor(let cursor?, let size):
      let last = items.firstIndex { $0.id == cursor.id }
      return range(from: last.map { $0 + 1 } ?? cursor.index, count: size)
    }
  }

  /// Sorts items; equal ones keep their order.
  private func sorted(_ items: [ResourceItem]) -> [ResourceItem] {
    let values = items.map { item in
      sortKeys.map { SortValue(ResourceFilter.value(at: $0.path, in: item.json)) }
    }
    let indices = items.indices.sorted { left, right in
      for (position, key) in sortKeys.enumerated() {
        let (first, second) = (values[left][position], values[right][position])
        if first < second { return !key.isDescending }
        if second < first { return key.isDescending }
      }
      return left < right
    }
    return indices.map { items[$0] }
  }
}

extension ResourceQuery.Cursor {
  /// Parses the text of a cursor; an empty one is the first page.
  fileprivate init?(_ text: String, _ name: String) throws(ResourceProblem) {
    guard !text.isEmpty else { return nil }
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    let decoded = Data(base64Encoded: base64 + padding).flatMap {
      String(validUTF8: $0)
    }
    let parts = decoded?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, let index = Int(parts[0]), index >= 0 else {
      throw ResourceProblem(
        status: 400, detail: "the parameter \(name) is not the cursor of an earlier response")
    }
    self.init(index: index, id: String(parts[1]))
  }

  /// The cursor as URL-safe text.
  var text: String {
    Data("\(index):\(id)".utf8).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }
}

/// A value in the order of a sorted list: missing values and `null`, Booleans, numbers, strings, then
/// arrays and objects.
private enum SortValue {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case other

  init(_ json: JSON?) {
    switch json {
    case nil, .null: self = .null
    case .bool(let value): self = .bool(value)
    case .string(let value): self = .string(value)
    case .int, .double, .decimal: self = json?.double.map { .number($0) } ?? .null
    case .array, .dictionary: self = .other
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .string: 3
    case .other: 4
    }
  }

  static func < (left: SortValue, right: SortValue) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.number(let left), .number(let right)): left < right
    case (.string(let left), .string(let right)): left < right
    default: left.rank < right.rank
    }
  }
}

/// The links to other pages of a list.
///
/// Source: RFC 8288.
struct ResourceLinks {
  /// The value of the field `Link`, or `nil` if there is no other page.
  let value: String?

  init(
    _ request: ReceivedRequest, _ query: ResourceQuery, _ page: ResourceQuery.Page,
    _ names: ResourceOptions.ParameterNames
  ) {
    var links: [(relation: String, name: String, value: String)] = []
    let paging = query.paging
    switch paging {
    case .all, .offset(_, nil): break
    case .page(let number, let size):
      let last = max((page.total - 1) / size + 1, 1)
      links.append(("first", names.page, "1"))
      if number > 1 { links.append(("prev", names.page, String(min(number - 1, last)))) }
      if number < last { links.append(("next", names.page, String(number + 1))) }
      links.append(("last", names.page, String(last)))
    case .offset(let start, let size?):
      links.append(("first", names.offset, "0"))
      if start > 0 { links.append(("prev", names.offset, String(max(start - size, 0)))) }
      if start < page.total - size {
        links.append(("next", names.offset, String(start + size)))
      }
      links.append(("last", names.offset, String(max(page.total - 1, 0) / size * size)))
    case .cursor:
      if let next = page.next { links.append(("next", names.cursor, next.text)) }
    }
    guard !links.isEmpty else {
      value = nil
      return
    }
    var query = request.query.items.map { ($0.name, $0.value) }
    let rangeNames = ResourceQuery.rangeNames
    if case .offset(_, let size?) = paging, query.contains(where: { rangeNames.contains($0.0) }) {
      query.removeAll { rangeNames.contains($0.0) || $0.0 == names.limit }
      query.append((names.limit, String(size)))
    }
    value = links.map { [query] relation, name, value in
      var items = query.filter { $0.0 != name }
      items.append((name, value))
      let query = items.map {
        "\(PercentEncoding.url.encoded($0.0))=\(PercentEncoding.url.encoded($0.1))"
      }
      return "<\(request.path.text)?\(query.joined(separator: "&"))>; rel=\"\(relation)\""
    }.joined(separator: ", ")
  }
}
