/// The format of parameters in a query, in a URL-encoded form, and in the names of a multipart form.
///
/// A query is a flat list of fields, and ``Parameters`` are a tree. Servers expect different names for
/// the elements of arrays and the members of dictionaries, and different texts for Booleans, dates
/// and `null`. A format is a value with one option for each difference. The presets are the formats of
/// well-known servers:
///
/// ```swift
/// configuration.queryFormat = .rails                                // all requests of a client
/// static let queryFormat = QueryFormat.form(explode: false)         // all requests of an endpoint
/// .get("boards", parameters: filter, .queryFormat(.php))            // one request
/// QueryFormat(arrays: .repeated, nesting: .dots, bools: .digits)    // no preset
/// ```
///
/// A format of a request overrides that of its endpoint, which overrides that of the client.
///
/// Parameters that the format cannot represent are rejected before anything is sent: the request
/// fails with ``NetworkError/Code-swift.enum/encodingFailed``, and the ``ParameterEncodingError``
/// contains the path of the parameter, such as `filter.tags[2]`. Elements and members that are omitted,
/// as ``nulls`` and ``empties`` define, do not leave a gap: the following elements move up.
public struct QueryFormat: Sendable, Hashable, Codable {
  /// The names of the elements of an array.
  public enum Arrays: Sendable, Hashable, Codable {
    /// `tags[]=a&tags[]=b`, and `rows[0][id]=1` if an element is an array or a dictionary.
    ///
    /// The indices keep the fields of an element together.
    case brackets
    /// `tags[]=a&tags[]=b`, and `rows[][id]=1&rows[][name]=x&rows[][id]=2` for dictionaries.
    ///
    /// Rack begins a new element where a name occurs again. Dictionaries that it would join, and arrays
    /// of arrays, are rejected.
    case rackBrackets
    /// `tags[0]=a&tags[1]=b`
    case indices
    /// `tags=a&tags=b`
    ///
    /// Elements that are arrays or dictionaries are rejected.
    case repeated
    /// `tags=a,b`, with the separator between the elements.
    ///
    /// Elements that are arrays or dictionaries, and texts that contain the separator, are rejected.
    case joined(by: Separator)
    /// All arrays are rejected.
    case rejected
  }

  /// The names of the members of a dictionary.
  public enum Nesting: Sendable, Hashable, Codable {
    /// `filter[owner]=me`
    case brackets
    /// `filter.owner=me`
    case dots
    /// `owner=me`, without the name of the dictionary.
    ///
    /// Members that are arrays or dictionaries, and two fields of the same name, are rejected.
    case exploded
    /// `filter=owner,me,limit,5`, with the separator between all names and values.
    ///
    /// Members that are arrays or dictionaries, and texts that contain the separator, are rejected.
    case joined(by: Separator)
    /// All dictionaries except the root are rejected.
    case rejected
  }

  /// The character between joined values.
  public enum Separator: String, Sendable, Hashable, Codable {
    /// `,`
    case comma = ","
    /// `|`, which is sent as `%7C`.
    case pipe = "|"
    /// A space, which is sent as ``QueryFormat/spaces`` defines.
    case space = " "
  }

  /// The texts for Booleans.
  public enum Bools: String, Sendable, Hashable, Codable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// The treatment of `null`.
  public enum Nulls: Sendable, Hashable, Codable {
    /// The field is omitted.
    case omitted
    /// The field is sent with an empty value.
    case empty
    /// The field is sent with a text, such as `null`.
    case text(String)
    /// The parameters are rejected.
    case rejected
  }

  /// The treatment of arrays and dictionaries without any fields.
  public enum Empties: String, Sendable, Hashable, Codable {
    /// Nothing is sent for them.
    case omitted
    /// The parameters are rejected.
    case rejected
  }

  /// The escaping of spaces.
  public enum Spaces: String, Sendable, Hashable, Codable {
    /// `%20`
    case percentEncoded
    /// `+`
    case plus
  }

  /// The escaping of plus signs.
  public enum PlusSigns: String, Sendable, Hashable, Codable {
    /// `%2B`
    case percentEncoded
    /// `+`, for servers that do not decode it as a space.
    ///
    /// Most servers do. If ``QueryFormat/spaces`` are set to `plus` as well, the server cannot tell a plus
    /// sign of a name or a value from a space: `1+1` and `1 1` have the same bytes. In a form whose
    /// ``QueryFormat/spaces`` are `nil`, spaces are sent as `+` by default, and texts with a plus sign
    /// are rejected.
    case literal
  }

  /// The order of the fields.
  public enum Order: String, Sendable, Hashable, Codable {
    /// The order of the parameters.
    case asGiven
    /// The members of each dictionary are sorted by the UTF-8 bytes of their names. Arrays keep their
    /// order.
    case sorted
  }

  /// The limits of a server, which ignores or misreads parameters beyond them.
  ///
  /// `nil` means no limit. Raise a limit of a preset if the server is configured for more.
  public struct Limits: Sendable, Hashable, Codable {
    /// The number of levels below a parameter of the root: 1 for `a[b]`.
    ///
    /// The absolute limit is 128.
    public var depth: Int?
    /// The number of elements of an array.
    public var elements: Int?
    /// The number of fields.
    public var fields: Int?

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depth: The number of levels below a parameter of the root. `nil` means 128.
    ///   - elements: The number of elements of an array. `nil` means no limit.
    ///   - fields: The number of fields. `nil` means no limit.
    public init(depth: Int? = nil, elements: Int? = nil, fields: Int? = nil) {
      self.depth = depth
      self.elements = elements
      self.fields = fields
    }
  }

  /// The names of the elements of arrays.
  public var arrays: Arrays
  /// The names of the members of dictionaries.
  public var nesting: Nesting
  /// The texts for Booleans.
  public var bools: Bools
  /// The treatment of `null`.
  public var nulls: Nulls
  /// The treatment of arrays and dictionaries without any fields.
  public var empties: Empties
  /// The texts for dates.
  public var dates: Dates
  /// The texts for bytes.
  ///
  /// Multipart forms send bytes unchanged.
  public var bytes: Bytes
  /// The escaping of spaces.
  ///
  /// `nil` uses `%20` in queries, and `+` in forms, as in browsers.
  public var spaces: Spaces?
  /// The escaping of plus signs.
  public var plusSigns: PlusSigns
  /// The order of the fields.
  public var order: Order
  /// The limits of the server.
  public var limits: Limits
  /// The server, whose rules for names are checked.
  var server = Server.any
  /// The formats of single parameters of the root, by name.
  var overrides: [String: QueryFormat] = [:]

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - arrays: The names of the elements of arrays.
  ///   - nesting: The names of the members of dictionaries.
  ///   - bools: The texts for Booleans.
  ///   - nulls: The treatment of `null`.
  ///   - empties: The treatment of arrays and dictionaries without any fields.
  ///   - dates: The texts for dates.
  ///   - bytes: The texts for bytes.
  ///   - spaces: The escaping of spaces. `nil` uses `%20` in queries, and `+` in forms.
  ///   - plusSigns: The escaping of plus signs.
  ///   - order: The order of the fields.
  ///   - limits: The limits of the server.
  public init(
    arrays: Arrays = .brackets, nesting: Nesting = .brackets, bools: Bools = .words,
    nulls: Nulls = .omitted, empties: Empties = .omitted, dates: Dates = .iso8601,
    bytes: Bytes = .base64, spaces: Spaces? = nil, plusSigns: PlusSigns = .percentEncoded,
    order: Order = .asGiven, limits: Limits = Limits()
  ) {
    self.arrays = arrays
    self.nesting = nesting
    self.bools = bools
    self.nulls = nulls
    self.empties = empties
    self.dates = dates
    self.bytes = bytes
    self.spaces = spaces
    self.plusSigns = plusSigns
    self.order = order
    self.limits = limits
  }

  /// Returns a format with another format for one parameter of the root.
  ///
  /// In an OpenAPI document, each parameter has its own style:
  ///
  /// ```swift
  /// QueryFormat.form(explode: false).with(.deepObject, for: "filter")    // ids=1,2&filter[open]=true
  /// ```
  ///
  /// ``spaces``, ``plusSigns``, ``order`` and the number of fields are those of this format.
  ///
  /// - Parameters:
  ///   - format: The format of the parameter.
  ///   - name: The name of a parameter of the root.
  /// - Returns: The changed format.
  public func with(_ format: QueryFormat, for name: String) -> QueryFormat {
    copy(of: self) { $0.overrides[name] = format }
  }
}

// MARK: - Presets

extension QueryFormat {
  private func read(by server: Server) -> QueryFormat { copy(of: self) { $0.server = server } }

  /// `tags[]=a&tags[]=b&filter[owner]=me&rows[0][id]=1`, the format of clients without another one.
  ///
  /// PHP, qs and jQuery have the same names. A name of the root is sent as given, so that it may contain brackets:
  /// `["filter[owner]": "me"]`.
  public static let standard = QueryFormat()

  /// The format of PHP: `tags[0]=a&tags[1]=b&filter[owner]=me`, as `http_build_query` creates it.
  ///
  /// Booleans are `1` and `0`. Names that PHP would change are rejected, for example those of the root
  /// that contain a dot or a space. The limits are 64 levels and 1,000 fields, the defaults of
  /// `max_input_nesting_level` and `max_input_vars`.
  ///
  /// Source: the PHP manual, `parse_str` and "Variables From External Sources".
  public static let php = QueryFormat(
    arrays: .indices, bools: .digits, limits: Limits(depth: 64, fields: 1_000)
  ).read(by: .php)

  /// The format of Rails and Rack: `tags[]=a&tags[]=b&rows[][id]=1&rows[][id]=2`.
  ///
  /// The limits are 31 levels and 4,096 fields.
  ///
  /// Source: Rack, `QueryParser#parse_nested_query`.
  public static let rails = QueryFormat(
    arrays: .rackBrackets, limits: Limits(depth: 31, fields: 4_096)
  ).read(by: .rack)

  /// The format of the package qs and of Express: `tags[0]=a&tags[1]=b&filter[owner]=me`.
  ///
  /// Names of members of every JavaScript object, such as `constructor`, are rejected, because qs
  /// ignores them, and so are dictionaries whose names are all numbers, because qs reads them as arrays.
  /// The limits are 5 levels, 20 elements and 1,000 fields, the defaults of its options `depth`,
  /// `arrayLimit` and `parameterLimit`.
  ///
  /// Source: the documentation of qs, `parse`.
  public static let qs = QueryFormat(
    arrays: .indices, limits: Limits(depth: 5, elements: 20, fields: 1_000)
  ).read(by: .qs)

  /// The format of Django, `tags=a&tags=b`.
  ///
  /// A `QueryDict` is flat, so dictionaries are rejected.
  ///
  /// The limit is 1,000 fields, the default of `DATA_UPLOAD_MAX_NUMBER_FIELDS`.
  ///
  /// Source: the Django documentation, "QueryDict objects".
  public static let django = QueryFormat(
    arrays: .repeated, nesting: .rejected, limits: Limits(fields: 1_000))

  /// The format of Spring and ASP.NET Core: `tags[0]=a&filter.owner=me&rows[0].id=1`.
  ///
  /// Source: the Spring Framework reference, "Data Binding"; the ASP.NET Core documentation, "Model
  /// Binding".
  public static let dotted = QueryFormat(arrays: .indices, nesting: .dots)

  /// The style `form` of OpenAPI.
  ///
  /// - Parameter explode: Whether each element and each member is a field: `tags=a&tags=b` and
  ///   `owner=me&limit=5`. Otherwise they are joined by commas: `tags=a,b` and
  ///   `filter=owner,me,limit,5`.
  /// - Returns: The format.
  ///
  /// Source: OpenAPI Specification 3.1.1 section 4.8.12.4, style examples.
  public static func form(explode: Bool = true) -> QueryFormat {
    explode
      ? QueryFormat(arrays: .repeated, nesting: .exploded)
      : QueryFormat(arrays: .joined(by: .comma), nesting: .joined(by: .comma))
  }

  /// The style `spaceDelimited` of OpenAPI without `explode`: `tags=a%20b`.
  ///
  /// With `explode` it is the same as ``form(explode:)``.
  public static let spaceDelimited = QueryFormat(
    arrays: .joined(by: .space), nesting: .joined(by: .space))

  /// The style `pipeDelimited` of OpenAPI without `explode`: `tags=a%7Cb`.
  ///
  /// With `explode` it is the same as ``form(explode:)``.
  public static let pipeDelimited = QueryFormat(
    arrays: .joined(by: .pipe), nesting: .joined(by: .pipe))

  /// The style `deepObject` of OpenAPI: `filter[owner]=me&filter[limit]=5`.
  ///
  /// OpenAPI defines it for dictionaries without arrays and dictionaries in them, so these are rejected.
  /// ``with(_:for:)`` adds the parameters of other styles.
  public static let deepObject = QueryFormat(arrays: .rejected, limits: Limits(depth: 1))
}
