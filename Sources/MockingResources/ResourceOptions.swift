import Foundation
public import Networking

/// The options of a ``Resource``.
///
/// ```swift
/// let users = Resource("/users") {
///   $0.required = ["email"]
///   $0.unique = ["email"]
///   $0.types = ["age": .integer]
/// }
/// ```
public struct ResourceOptions: Sendable, Hashable {
  /// The rule for the ids of new items.
  public enum IDRule: Sendable, Hashable {
    /// Ids like those of the initial items: numbers that count up, texts of such numbers, or random UUIDs
    /// for all other texts.
    ///
    /// Without items, the type of the resource decides: the first kind that it can decode of numbers,
    /// UUIDs and texts of numbers. Without a type, the ids are numbers.
    case automatic
    /// Numbers that count up.
    ///
    /// A number is not used again after its item has been removed.
    case counter
    /// Random UUIDs in lowercase.
    case uuid
    /// A text in which `{counter}` is replaced by a number and `{uuid}` by a random UUID, such as
    /// `cart-{counter}`.
    ///
    /// `{counter:0000}` has at least as many digits as zeros: `SHP-{counter:0000}` makes `SHP-0001`. The
    /// numbers continue after the greatest one of an item whose id has the pattern.
    case pattern(String)
    /// The client sets the id in the body, or creates the item with PUT.
    case client
  }

  /// The type of a member.
  public enum MemberType: String, Sendable, Hashable, CaseIterable {
    /// A string.
    case string
    /// Any number.
    case number
    /// A number without a fraction.
    case integer
    /// `true` or `false`.
    case boolean
    /// An array.
    case array
    /// An object.
    case object
  }

  /// The treatment of nested items when their parent is deleted.
  public enum ParentDeletion: String, Sendable, Hashable, CaseIterable {
    /// The items are deleted with the parent.
    case cascade
    /// The parent is not deleted while it has items; the response is a 409.
    case refuse
    /// The items are kept.
    ///
    /// They can be reached only by paths without the parent.
    case keep
  }

  /// The names of the query parameters of lists.
  public struct ParameterNames: Sendable, Hashable {
    /// The text to search for in all strings and numbers of an item.
    ///
    /// The default is `q`.
    public var search = "q"
    /// The members to sort by, separated by commas; `-` before a name reverses the order.
    ///
    /// The default is `_sort`.
    public var sort = "_sort"
    /// The directions of the sorted members, `asc` or `desc`, separated by commas.
    ///
    /// The default is `_order`.
    public var order = "_order"
    /// The number of the page, starting at 1.
    ///
    /// The default is `_page`.
    public var page = "_page"
    /// The number of items of a page.
    ///
    /// The default is `_limit`.
    public var limit = "_limit"
    /// The number of items to skip.
    ///
    /// The default is `_offset`.
    public var offset = "_offset"
    /// The position after which the page starts; empty for the first page.
    ///
    /// The default is `_cursor`.
    public var cursor = "_cursor"
    /// The members that the items of the response have, separated by commas.
    ///
    /// The default is `_fields`.
    public var fields = "_fields"
    /// The names of resources whose items refer to an item, to be added to it: `/posts?_embed=comments`.
    ///
    /// The default is `_embed`.
    public var embed = "_embed"
    /// The names of items to which an item refers, to be added to it: `/comments?_expand=post`.
    ///
    /// The default is `_expand`.
    public var expand = "_expand"

    /// Creates the default names.
    public init() {}

    /// The parameters of a list without related items.
    package var all: [String] { [search, sort, order, page, limit, offset, cursor, fields] }
    /// The parameters of a list.
    var known: [String] { all + [embed, expand] }
  }

  /// The name of the member with the id, a string or an integer.
  ///
  /// The default is `id`.
  public var key = "id"
  /// The rule for the ids of new items.
  ///
  /// The default is ``IDRule/automatic``.
  ///
  /// An id in the body of a POST is accepted with every rule.
  public var ids = IDRule.automatic
  /// The members that an item must have, with a value that is not `null`.
  public var required: [String] = []
  /// The members whose values no two items may share.
  ///
  /// `null` is not compared.
  public var unique: [String] = []
  /// The groups of members whose values no two items may share together.
  ///
  /// `[["cartId", "product"]]` allows a product once in each cart. A group with a `null` is not
  /// compared.
  public var uniqueTogether: [[String]] = []
  /// The values of members that a new item does not have.
  ///
  /// They are used by requests that create an item, by the changes of a route and by Swift code, but not
  /// for the initial items.
  public var defaults: [String: JSON] = [:]
  /// The rules for the values of members, in addition to ``types``.
  public var rules: [String: MemberRule] = [:]
  /// The members that clients cannot set or change.
  public var readOnly: [String] = []
  /// The types of members.
  ///
  /// `null` is valid for a member that is not required.
  public var types: [String: MemberType] = [:]
  /// The member that receives the time of creation in ISO 8601.
  ///
  /// `nil` for none.
  public var createdAt: String?
  /// The member that receives the time of the last change in ISO 8601.
  ///
  /// `nil` for none.
  public var updatedAt: String?
  /// Further paths at which the same items are available, such as `/users/{user}/carts`.
  public var nestedPaths: [String] = []
  /// The members that contain the ids of the parents, by the names of the path variables.
  ///
  /// The default for a variable `user` is the member `userId`.
  public var foreignKeys: [String: String] = [:]
  /// The members that contain ids of items of other resources, with the paths of those resources.
  ///
  /// ```swift
  /// $0.references = ["doctorId": "/doctors"]
  /// ```
  ///
  /// A new value must be the id of an existing item, or an array of such ids; otherwise, the request is
  /// refused with a 422. `null` refers to no item. A reference to a resource that the store does not
  /// have is not checked. Deleting the other item leaves the reference as it is.
  public var references: [String: String] = [:]
  /// The treatment of the items when their parent is deleted.
  ///
  /// The default is ``ParentDeletion/cascade``.
  public var onParentDelete = ParentDeletion.cascade
  /// The allowed methods, of GET, POST, PUT, PATCH and DELETE.
  ///
  /// The default is all of them.
  public var methods: Set<HTTPMethod> = [.get, .post, .put, .patch, .delete]
  /// Whether PUT creates an item that does not exist.
  ///
  /// The default `nil` means that it does with ``IDRule/client`` only.
  public var createsOnPut: Bool?
  /// Whether PUT, PATCH and DELETE without `If-Match` are refused with a 428.
  ///
  /// The default is `false`.
  public var requiresIfMatch = false
  /// The number of items of a page if the request has no limit.
  ///
  /// `nil` returns all items.
  public var pageSize: Int?
  /// The maximum number of items of a page.
  ///
  /// A larger limit of a request is reduced to it.
  public var maximumPageSize: Int?
  /// The names of the query parameters of lists.
  public var parameters = ParameterNames()
  /// The maximum number of items.
  ///
  /// More are refused with a 507. The default is 10,000.
  public var maximumItems = 10_000
  /// The maximum length in bytes of a request body and of an item as JSON text.
  ///
  /// It also limits the copies of a JSON Patch. More are refused with a 413. The default is 1 MiB.
  public var maximumItemBytes = 1024 * 1024
  /// Whether the resource is one object without an id.
  package var isObject = false
  /// The id of the item of a resource that is one object.
  static let objectID = "object"

  /// Whether the lists of all parents have the same items, which no request changes.
  package var sharesItems = false
  /// Whether nested resources may have items of a parent that does not exist, because no request creates
  /// parents.
  package var allowsMissingParents = false

  /// Creates the default options.
  public init() {}

  /// The names of members that items may have, besides those that they have.
  var names: Set<String> {
    var names = Set(required + readOnly + uniqueGroups.flatMap { $0 })
    names.formUnion(types.keys)
    names.formUnion(rules.keys)
    names.formUnion(defaults.keys)
    names.formUnion(foreignKeys.values)
    names.formUnion(references.keys)
    names.formUnion([key, createdAt, updatedAt].compactMap(\.self))
    return names
  }

  /// The groups of unique members.
  var uniqueGroups: [[String]] { unique.map { [$0] } + uniqueTogether }

  var createsMissing: Bool { createsOnPut ?? (ids == .client) }
}

extension ResourceOptions.MemberType {
  /// Returns whether a value has this type.
  func matches(_ json: JSON) -> Bool {
    switch (self, json) {
    case (.string, .string), (.boolean, .bool), (.array, .array), (.object, .dictionary),
      (.number, .int), (.number, .double), (.number, .decimal), (.integer, .int):
      true
    case (.integer, .double(let value)): value.rounded() == value
    // A decimal has more digits than a double can hold, and the parser makes one only of an integer.
    case (.integer, .decimal): true
    default: false
    }
  }

  /// The type with its article, such as `an integer`.
  var phrase: String { "aeiou".contains(rawValue.prefix(1)) ? "an \(rawValue)" : "a \(rawValue)" }
}
