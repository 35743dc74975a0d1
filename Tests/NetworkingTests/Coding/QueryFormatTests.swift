import Foundation
import TestGate
import Testing

@testable import Networking

/// The formats of queries and forms.
///
/// Tests/Differential compares them with the decoders of servers.
@Suite(.gated)
struct QueryFormatTests {
  private func query(_ parameters: Parameters, _ format: QueryFormat) throws -> String {
    let encoder = ParameterEncoders().formatted(format).query
    guard case .query(let query) = try encoder.encode(parameters) else { return "no query" }
    return query
  }

  private func form(_ parameters: Parameters, _ format: QueryFormat) throws -> String {
    let encoder = ParameterEncoders().formatted(format).formURLEncoded
    guard case .body(let pieces, _) = try encoder.encode(parameters),
      case .data(let data)? = pieces.first
    else { return "no form" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns the error of parameters that a format must reject.
  private func error(_ parameters: Parameters, _ format: QueryFormat) -> String {
    let error = #expect(throws: ParameterEncodingError.self) { try query(parameters, format) }
    return error?.description ?? "none"
  }

  /// Returns the error of the parameters of a form that a format must reject.
  private func formError(_ parameters: Parameters, _ format: QueryFormat) -> String {
    let error = #expect(throws: ParameterEncodingError.self) { try form(parameters, format) }
    return error?.description ?? "none"
  }

  private let values: Parameters = [
    "t": ["a", "b"], "f": ["o": "me", "n": 5], "on": true, "x": nil,
  ]

  @Test(arguments: [
    (QueryFormat.standard, "t[]=a&t[]=b&f[o]=me&f[n]=5&on=true"),
    (.php, "t[0]=a&t[1]=b&f[o]=me&f[n]=5&on=1"),
    (.rails, "t[]=a&t[]=b&f[o]=me&f[n]=5&on=true"),
    (.qs, "t[0]=a&t[1]=b&f[o]=me&f[n]=5&on=true"),
    (.dotted, "t[0]=a&t[1]=b&f.o=me&f.n=5&on=true"),
    (.form(), "t=a&t=b&o=me&n=5&on=true"),
    (.form(explode: false), "t=a,b&f=o,me,n,5&on=true"),
    (.spaceDelimited, "t=a b&f=o me n 5&on=true"),
    (.pipeDelimited, "t=a|b&f=o|me|n|5&on=true"),
    (QueryFormat(arrays: .repeated, nesting: .dots), "t=a&t=b&f.o=me&f.n=5&on=true"),
    (QueryFormat(nulls: .empty), "t[]=a&t[]=b&f[o]=me&f[n]=5&on=true&x="),
    (QueryFormat(nulls: .text("null")), "t[]=a&t[]=b&f[o]=me&f[n]=5&on=true&x=null"),
    (QueryFormat(order: .sorted), "f[n]=5&f[o]=me&on=true&t[]=a&t[]=b"),
    (
      QueryFormat.form(explode: false).with(.deepObject, for: "f"),
      "t=a,b&f[o]=me&f[n]=5&on=true"
    ),
  ])
  func theSameParametersHaveTheFieldsOfEachFormat(_ format: QueryFormat, _ expected: String) throws
  {
    #expect(try query(values, format).removingPercentEncoding == expected)
    #expect(
      try form(values, format).replacing("+", with: "%20").removingPercentEncoding == expected)
  }

  private let nested: Parameters = ["r": [["id": 1, "t": ["a"]], ["id": 2]], "m": [["a"], "b"]]

  @Test(arguments: [
    (QueryFormat.standard, "r[0][id]=1&r[0][t][]=a&r[1][id]=2&m[0][]=a&m[1]=b"),
    (.php, "r[0][id]=1&r[0][t][0]=a&r[1][id]=2&m[0][0]=a&m[1]=b"),
    (.dotted, "r[0].id=1&r[0].t[0]=a&r[1].id=2&m[0][0]=a&m[1]=b"),
  ])
  func elementsThatAreArraysOrDictionariesHaveIndices(_ format: QueryFormat, _ expected: String)
    throws
  {
    #expect(try query(nested, format).removingPercentEncoding == expected)
  }

  @Test func rackReceivesDictionariesWhoseFirstNameOccursAgain() throws {
    let rows: Parameters = ["r": [["id": 1, "t": ["a", "b"]], ["id": 2], "x"]]
    #expect(
      try query(rows, .rails).removingPercentEncoding
        == "r[][id]=1&r[][t][]=a&r[][t][]=b&r[][id]=2&r[]=x")
    let joined = "would be joined with the element before it, because its first field is not in "
    #expect(
      error(["r": [["a": 1], ["b": 2]]], .rails) == "the parameter r[1] \(joined)that one")
    #expect(
      error(["r": [["a": ["x"]], ["a": ["y"]]]], .rails) == "the parameter r[1] \(joined)that one")
    #expect(
      error(["r": [["a"]]], .rails)
        == "the parameter r[0] is an array in an array, which the format cannot represent")
    // The first field of the second element is the same in sorted order only.
    var sorted = QueryFormat.rails
    sorted.order = .sorted
    let rows2: Parameters = ["r": [["a": 1], ["b": 2, "a": 3]]]
    #expect(try query(rows2, sorted).removingPercentEncoding == "r[][a]=1&r[][a]=3&r[][b]=2")
    #expect(throws: ParameterEncodingError.self) { try query(rows2, .rails) }
  }

  @Test func omittedElementsLeaveNoGap() throws {
    let parameters: Parameters = [
      "a": [nil, 1, [], [nil], ["x": nil], 2], "b": [], "c": ["d": [:]],
    ]
    #expect(try query(parameters, .php).removingPercentEncoding == "a[0]=1&a[1]=2")
    #expect(try query(parameters, .form()).removingPercentEncoding == "a=1&a=2")
    #expect(try query(parameters, .form(explode: false)) == "a=1,2")
    #expect(try query(["b": [nil]], QueryFormat(nulls: .empty)).removingPercentEncoding == "b[]=")
  }

  @Test(
    arguments: [
      (["a": ["b": [1, nil]]], QueryFormat(nulls: .rejected), "a.b[1] is null"),
      (["a": ["b": []]], QueryFormat(empties: .rejected), "a.b is an empty array"),
      (["a": [1, [:]]], QueryFormat(empties: .rejected), "a[1] is an empty dictionary"),
      (["a": [1, [2]]], .form(), "a[1] is an array or a dictionary in an array"),
      (["a": [1, [2]]], .form(explode: false), "a[1] is an array or a dictionary in a list"),
      (["a": ["b": [2]]], .pipeDelimited, "a.b is an array or a dictionary in a list"),
      (["a": ["x", "y,z"]], .form(explode: false), "a[1] contains a comma"),
      (["a": [nil, "y|z"]], .pipeDelimited, "a[1] contains a vertical bar"),
      (["a": ["y z"]], .spaceDelimited, "a[0] contains a space"),
      (["a": ["b,c": 1]], .form(explode: false), "a.b,c contains a comma"),
      (["a": ["b": ["c": 1]]], .form(), "a.b is an array or a dictionary in a dictionary"),
      (["b": 1, "a": ["b": 2]], .form(), "a.b has the same name as another field"),
      (["a": ["b": 2], "b": 1], .form(), "b has the same name as another field"),
      (["a": [1]], .deepObject, "a is an array"),
      (["a": ["b": ["c": 1]]], .deepObject, "a.b.c is nested deeper than 1 level"),
      (["a": ["b": [1]]], .deepObject, "a.b is an array"),
      (["a": ["b": 1]], .django, "a is a dictionary"),
      (["a": ["b]": 1]], .standard, "a.b] has a bracket in its name"),
      (["a": ["": 1]], .standard, "a.\"\" has an empty name"),
      (["a": ["b.c": 1]], .dotted, "a.b.c has a dot in its name"),
      (["a.b": 1], .php, "a.b has a dot in its name"),
      (["a b": 1], .php, "a b has a space in its name"),
      (["a": [" ": 1]], .php, "a.  has a name of one space, which PHP ignores"),
      (["a[]": 1], .php, "a[] has a bracket in its name"),
      (["": 1], .rails, "\"\" has an empty name"),
      (["a": ["b\nc": 1]], .rails, "has a line break in its name"),
      (["a": ["toString": 1]], .qs, "a.toString has a name that qs ignores"),
      (["__proto__": 1], .qs, "__proto__ has a name that qs ignores"),
      (["a": ["0": 1, "12": 2]], .qs, "a has only numbers as names"),
      (["a": .array(Array(repeating: 1, count: 21))], .qs, "a has 21 elements"),
      (["a": ["b": ["c": ["d": ["e": ["f": ["g": 1]]]]]]], .qs, "a.b.c.d.e.f.g is nested deeper"),
    ] as [(Parameters, QueryFormat, String)])
  func parametersThatTheFormatCannotRepresentAreRejectedByTheirPath(
    _ parameters: Parameters, _ format: QueryFormat, _ expected: String
  ) {
    #expect(error(parameters, format).contains(expected))
  }

  @Test func limitsCanBeRaised() throws {
    let many: Parameters = ["a": .array((0..<1_001).map { .int($0) })]
    #expect(
      error(many, .php)
        == "the root of the parameters has 1001 fields, more than the limit of 1000")
    var format = QueryFormat.php
    format.limits.fields = nil
    #expect(try query(many, format).hasSuffix("a%5B1000%5D=1000"))
    format = .qs
    format.limits = .init(depth: 8, elements: 2_000)
    #expect(try query(many, format).hasSuffix("a%5B1000%5D=1000"))
    #expect(try query(["a": [[[[[[["x"]]]]]]]], format).hasSuffix("=x"))
    format.limits = .init(elements: 2)
    #expect(try query(["a": [1, 2]], format).hasSuffix("=2"))
    #expect(error(["a": [1, 2, 3]], format).contains("more than the limit of 2"))
  }

  @Test func namesOfTheRootAreSentAsGivenUnlessTheServerIsKnown() throws {
    let given: Parameters = ["filter[owner]": "me", "a.b": 1, "": 2]
    let expected = "filter[owner]=me&a.b=1&=2"
    for format in [QueryFormat.standard, .dotted, .form(), .deepObject, .django] {
      #expect(try query(given, format).removingPercentEncoding == expected)
    }
  }

  @Test(
    arguments: [
      (nil, .percentEncoded, "a%20b=c%2B%20d", "a+b=c%2B+d"),
      (.percentEncoded, .percentEncoded, "a%20b=c%2B%20d", "a%20b=c%2B%20d"),
      (.plus, .percentEncoded, "a+b=c%2B+d", "a+b=c%2B+d"),
      (.percentEncoded, .literal, "a%20b=c+%20d", "a%20b=c+%20d"),
      (.plus, .literal, "a+b=c++d", "a+b=c++d"),
    ] as [(QueryFormat.Spaces?, QueryFormat.PlusSigns, String, String)])
  func spacesAndPlusSignsAreEscapedAsTheFormatDefines(
    _ spaces: QueryFormat.Spaces?, _ plusSigns: QueryFormat.PlusSigns, _ inQuery: String,
    _ inForm: String
  ) throws {
    let format = QueryFormat(spaces: spaces, plusSigns: plusSigns)
    #expect(try query(["a b": "c+ d"], format) == inQuery)
    #expect(try form(["a b": "c+ d"], format) == inForm)
  }

  /// The complex query of the description of Conduit.
  @Test func spacesAndPlusSignsMayBothBePlusSigns() throws {
    let format = QueryFormat(
      arrays: .joined(by: .comma), nesting: .dots, spaces: .plus, plusSigns: .literal)
    let parameters: Parameters = [
      "options": ["include": ["fuzzy", "fluffy", "not mean"], "2+2": 4]
    ]
    #expect(
      try query(parameters, format) == "options.include=fuzzy,fluffy,not+mean&options.2+2=4")
    #expect(try query(["a": "1+1"], format) == query(["a": "1 1"], format))
  }

  @Test func aPlusSignThatWouldBecomeASpaceByDefaultIsRejected() throws {
    // In a form, spaces are plus signs by default.
    let format = QueryFormat(plusSigns: .literal)
    #expect(
      formError(["a": ["b+c"]], format)
        == "the parameter a[0] contains a plus sign, which the format cannot distinguish from a "
        + "space")
    #expect(formError(["a+": 1], format).contains("has a plus sign in its name"))
    #expect(try form(["a": "b c"], format) == "a=b+c")
    #expect(try query(["a": "+"], format) == "a=+")
  }

  @Test func onlyTheSeparatorsOfAListAreNotEscaped() throws {
    #expect(try query(["a": ["x", "y"], "b": "x,y"], .form(explode: false)) == "a=x,y&b=x%2Cy")
    #expect(try query(["a": ["x", "y"]], .pipeDelimited) == "a=x%7Cy")
    #expect(try query(["a": ["x", "y"]], .spaceDelimited) == "a=x%20y")
    #expect(try form(["a": ["x", "y"]], .spaceDelimited) == "a=x+y")
  }

  @Test(arguments: [
    (QueryFormat.Bytes.base64, "+/8="), (.base64URL, "-_8"), (.hexadecimal, "fbff"),
  ])
  func bytesHaveTheConfiguredText(_ style: QueryFormat.Bytes, _ expected: String) throws {
    let parameters: Parameters = ["a": .data(Data([0xFB, 0xFF]))]
    #expect(
      try query(parameters, QueryFormat(bytes: style)).removingPercentEncoding == "a=\(expected)")
  }

  @Test func datesAndBytesOfEncodableValuesHaveTheStrategiesOfTheCaller() throws {
    struct Visit: Encodable {
      var at = Date(timeIntervalSince1970: 86_400)
      var key = Data([1, 2])
    }
    #expect(
      try query(Parameters(encoding: Visit()), QueryFormat(dates: .day, bytes: .hexadecimal))
        == "at=1970-01-02&key=0102")
    let custom = try Parameters(
      encoding: [Visit()], date: { .int(Int($0.timeIntervalSince1970)) },
      data: { .array($0.map { .int(Int($0)) }) })
    #expect(custom == [["at": 86_400, "key": [1, 2]]])
  }

  @Test func formatsRoundTripThroughStorage() throws {
    let formats: [QueryFormat] = [
      .standard, .php, .rails, .qs, .django, .dotted, .form(), .form(explode: false),
      .spaceDelimited, .pipeDelimited, .deepObject, .form().with(.deepObject, for: "filter"),
      QueryFormat(nulls: .text("null"), dates: .pattern("yyyy"), spaces: .plus),
    ]
    for format in formats {
      let data = try JSONEncoder().encode(format)
      #expect(try JSONDecoder().decode(QueryFormat.self, from: data) == format)
    }
    #expect(Set(formats).count == formats.count)
  }

  @Test func eachCaseIsStoredAsOneText() throws {
    func check<Value: Codable & Equatable>(_ texts: KeyValuePairs<String, Value>) throws {
      for (text, value) in texts {
        let data = try JSONEncoder().encode([value])
        #expect(try JSONDecoder().decode([String].self, from: data) == [text])
        #expect(try JSONDecoder().decode([Value].self, from: data) == [value])
      }
    }
    try check([
      "brackets": QueryFormat.Arrays.brackets, "rackBrackets": .rackBrackets, "indices": .indices,
      "repeated": .repeated, "joined:,": .joined(by: .comma), "joined:|": .joined(by: .pipe),
      "joined: ": .joined(by: .space), "rejected": .rejected,
    ])
    try check([
      "brackets": QueryFormat.Nesting.brackets, "dots": .dots, "exploded": .exploded,
      "joined:,": .joined(by: .comma), "joined:|": .joined(by: .pipe),
      "joined: ": .joined(by: .space), "rejected": .rejected,
    ])
    try check([
      "omitted": QueryFormat.Nulls.omitted, "empty": .empty, "rejected": .rejected,
      "text:": .text(""), "text:null": .text("null"), "text:omitted": .text("omitted"),
      "text:\u{301}": .text("\u{301}"),
    ])
    try check([
      "iso8601": QueryFormat.Dates.iso8601, "day": .day,
      "iso8601WithMilliseconds": .iso8601WithMilliseconds, "secondsSince1970": .secondsSince1970,
      "millisecondsSince1970": .millisecondsSince1970, "secondsSince2001": .secondsSince2001,
      "pattern:day": .pattern("day"), "pattern:pattern:": .pattern("pattern:"),
    ])
    try check([
      "query": ContentType.query, "formURLEncoded": .formURLEncoded, "json": .json,
      "multipartFormData": .multipartFormData, "custom:text/x": .custom("text/x"),
      "custom:": .custom(""),
    ])
  }

  @Test(arguments: [
    #""""#, #""Brackets""#, #""joined""#, #""joined:;""#, #""text""#, "1", "{}", "null",
  ])
  func aTextOfNoCaseIsNotDecoded(_ json: String) {
    func check<Value: Decodable>(_ type: Value.Type) {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([Value].self, from: Data("[\(json)]".utf8))
      }
    }
    check(QueryFormat.Arrays.self)
    check(QueryFormat.Nesting.self)
    check(QueryFormat.Nulls.self)
    check(QueryFormat.Dates.self)
    check(ContentType.self)
  }
}
