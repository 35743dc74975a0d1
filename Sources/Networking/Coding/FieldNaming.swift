import Foundation

/// How a tree of parameters becomes the flat names and values of a query or a form.
///
/// Servers differ in what they expect of arrays, nested names, truth values and `null`:
///
/// ```swift
/// QueryEncoder(naming: FieldNaming(arrays: .repeated, bools: .digits))   // tag=a&tag=b&open=1
/// ```
public struct FieldNaming: Sendable, Hashable {
  /// What an element of an array is called.
  public enum Arrays: Sendable, Hashable {
    /// `tags[]=a&tags[]=b`
    case brackets
    /// `tags=a&tags=b`
    case repeated
    /// `tags[0]=a&tags[1]=b`
    case indices
  }

  /// What a member of a nested dictionary is called.
  public enum Nesting: Sendable, Hashable {
    /// `filter[owner]=me`
    case brackets
    /// `filter.owner=me`
    case dots
  }

  /// How truth values are written.
  public enum Bools: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// What becomes of `null`.
  public enum Nulls: Sendable, Hashable {
    /// The name is left out.
    case omitted
    /// The name stands with an empty value.
    case empty
  }

  /// What an element of an array is called.
  public var arrays: Arrays
  /// What a member of a nested dictionary is called.
  public var nesting: Nesting
  /// How truth values are written.
  public var bools: Bools
  /// What becomes of `null`.
  public var nulls: Nulls

  /// Makes a way of naming.
  ///
  /// - Parameters:
  ///   - arrays: what an element of an array is called.
  ///   - nesting: what a member of a nested dictionary is called.
  ///   - bools: how truth values are written.
  ///   - nulls: what becomes of `null`.
  public init(
    arrays: Arrays = .brackets, nesting: Nesting = .brackets, bools: Bools = .words,
    nulls: Nulls = .omitted
  ) {
    self.arrays = arrays
    self.nesting = nesting
    self.bools = bools
    self.nulls = nulls
  }
}

extension FieldNaming {
  /// Goes through the leaves of a tree in order, with their flat names.
  ///
  /// - Throws: ``ParameterEncodingError`` when the root is neither a dictionary nor null, or too deep,
  ///   and what `visit` throws.
  func forEachLeaf(
    of parameters: Parameters, _ visit: (_ name: String, _ leaf: Parameters) throws -> Void
  ) throws {
    switch parameters {
    case .null: break
    case .dictionary(let members):
      for member in members { try descend(member.value, member.name, 0, visit) }
    default:
      throw ParameterEncodingError(
        keyPath: "", reason: "must be a dictionary to be a query or a form")
    }
  }

  private func descend(
    _ value: Parameters, _ name: String, _ depth: Int,
    _ visit: (_ name: String, _ leaf: Parameters) throws -> Void
  ) throws {
    guard depth < ParameterEncodingError.depthLimit else {
      throw ParameterEncodingError.tooDeep(name)
    }
    switch value {
    case .array(let values):
      for (position, value) in values.enumerated() {
        let name =
          switch arrays {
          case .brackets: "\(name)[]"
          case .repeated: name
          case .indices: "\(name)[\(position)]"
          }
        try descend(value, name, depth + 1, visit)
      }
    case .dictionary(let members):
      for member in members {
        let name = nesting == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
        try descend(member.value, name, depth + 1, visit)
      }
    case .null where nulls == .omitted: break
    default: try visit(name, value)
    }
  }

  /// A leaf as text.
  func text(of leaf: Parameters, name: String) throws -> String {
    switch leaf {
    case .bool(let value): return bools == .words ? "\(value)" : value ? "1" : "0"
    case .int(let value): return value.description
    case .decimal(let value) where !value.isNaN: return value.description
    case .double(let value) where value.isFinite: return value.description
    case .decimal, .double: throw ParameterEncodingError.notFinite(name)
    case .string(let value): return value
    case .data(let value): return value.base64EncodedString()
    case .null, .array, .dictionary: return ""
    }
  }

  /// The fields as `name=value&name=value`.
  func joined(_ parameters: Parameters, by encoding: PercentEncoding) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachLeaf(of: parameters) { name, leaf in
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      encoding.append(name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      encoding.append(try text(of: leaf, name: name), to: &bytes)
    }
    return bytes
  }
}
