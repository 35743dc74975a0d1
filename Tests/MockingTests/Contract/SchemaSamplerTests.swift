import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

/// Values that are made from a schema keep it, at the edges of numbers too.
@Suite(.gated)
struct SchemaSamplerTests {
  @Test(arguments: [
    "{type: number, minimum: 0.001, maximum: 0.004}", "{type: integer, minimum: 7, maximum: 7}",
    "{type: number, exclusiveMinimum: 1, exclusiveMaximum: 1.001}",
    "{type: integer, multipleOf: 7, minimum: 1, maximum: 50}",
    "{type: number, multipleOf: 0.25, maximum: -3}",
    "{type: array, items: {type: boolean}, minItems: 3, maxItems: 3}",
    "{type: string, minLength: 40, maxLength: 41}", "{type: string, format: date-time}",
    "{type: string, pattern: '^[a-c]{2}-[0-9]+$'}", "{type: [string, 'null']}",
    "{type: object, required: [a], properties: {a: {const: 5}}, minProperties: 3}",
    "{oneOf: [{type: integer}, {type: string, maxLength: 2}]}",
    "{type: integer, minimum: 9007199254741000, maximum: 9007199254743000}",
    "{type: integer, maximum: -9000000000000000000}", "{type: string, minLength: 100000}",
    "{type: string, pattern: '^(((a*){0,9})*b){3}$'}",
    "{type: string, pattern: '^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,}$'}",
    "{type: string, pattern: '^(?!.*a)[a-c]{4}$'}",
  ])
  func aSampleKeepsItsSchema(schema: String) throws {
    for seed in UInt64(0)..<40 {
      let sample = try SchemaFixture.sample(schema, seed: seed)
      #expect(sample.isValid, "\(sample.value)")
    }
  }

  @Test func additionalMembersReachTheLeastNumberOnly() throws {
    for seed in UInt64(0)..<40 {
      let sample = try SchemaFixture.sample(
        "{type: object, additionalProperties: {type: integer}, minProperties: 3}", seed: seed)
      #expect(sample.value.dictionary?.count == 3)
    }
  }

  /// Repetitions of nothing have no length that would end them.
  @Test func aPatternThatRepeatsNothingEnds() throws {
    let sample = try SchemaFixture.sample(
      "{type: string, pattern: '^(((){20}){20}){20}$'}", seed: 1)
    #expect(sample.value == "")
  }

  @Test func aLargeMultipleIsExact() throws {
    // Above 2^53 a Double has even numbers only.
    let sample = try SchemaFixture.sample(
      "{type: integer, multipleOf: 9007199254740993, minimum: 1, maximum: 9007199254740995}",
      seed: 1)
    #expect(sample.value == .int(9_007_199_254_740_993))
  }

  @Test(arguments: [
    ("{prefixItems: [{const: 1}]}", SchemaType.array), ("{items: {type: integer}}", .array),
    ("{contains: {const: 1}}", .array), ("{properties: {a: true}}", .object),
    ("{required: [a]}", .object), ("{minimum: 3}", .number), ("{multipleOf: 3}", .number),
    ("{pattern: a}", .string),
  ])
  func theTypeOfASampleIsThatOfTheKeywords(schema: String, type: SchemaType) throws {
    let value = try SchemaFixture.sample(schema, seed: 3).value
    let found: SchemaType =
      switch value {
      case .array: .array
      case .dictionary: .object
      case .string: .string
      default: .number
      }
    #expect(found == type, "\(value)")
  }
}
