import Foundation

/// The style of the names and values in a query or a form.
///
/// A query or a form is a flat list of fields, and ``Parameters`` are a tree. Servers expect
/// different names for array elements and nested members, and different texts for Booleans and
/// `null`:
///
/// ```swift
/// QueryEncoder(naming: FieldNaming(arrays: .repeated, bools: .digits))   // tag=a&tag=b&open=1
/// ```
public struct FieldNaming: Sendable, Hashable {
  /// The style of the names of array elements.
  public enum Arrays: Sendable, Hashable {
    /// `tags[]=a&tags[]=b`
    case brackets
    /// `tags=a&tags=b`
    case repeated
    /// `tags[0]=a&tags[1]=b`
    case indices
  }

  /// The style of the names of members of nested dictionaries.
  public enum Nesting: Sendable, Hashable {
    /// `filter[owner]=me`
    case brackets
    /// `filter.owner=me`
    case dots
  }

  /// The texts for Booleans.
  public enum Bools: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case digits
  }

  /// The treatment of `null`.
  public enum Nulls: Sendable, Hashable {
    /// The field is omitted.
    case omitted
    /// The field is sent with an empty value.
    case empty
  }

  /// The style of the names of array elements.
  public var arrays: Arrays
  /// The style of the names of members of nested dictionaries.
  public var nesting: Nesting
  /// The texts for Booleans.
  public var bools: Bools
  /// The treatment of `null`.
  public var nulls: Nulls

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - arrays: The style of the names of array elements.
  ///   - nesting: The style of the names of members of nested dictionaries.
  ///   - bools: The texts for Booleans.
  ///   - nulls: The treatment of `null`.
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
  /// Calls a closure for each leaf of a tree, in order, with the name of its field.
  ///
  /// `null` is skipped unless ``nulls`` is ``Nulls/empty``. Empty arrays and dictionaries have no
  /// leaves.
  ///
  /// - Throws: ``ParameterEncodingError`` if the root is neither a dictionary nor `null`, or if the
  ///   tree is too deep. Rethrows the errors of `visit`.
  func forEachLeaf(
    of parameters: Parameters, _ visit: (_ name: String, _ leaf: Parameters) throws -> Void
  ) throws {
    switch parameters {
    case .null: break
    case .dictionary(let members):
      for member in members { try forEachLeaf(of: member.value, member.name, 0, visit) }
    default:
      throw ParameterEncodingError(
        keyPath: "", reason: "must be a dictionary to be encoded as a query or a form")
    }
  }

  private func forEachLeaf(
    of value: Parameters, _ name: String, _ depth: Int,
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
        try forEachLeaf(of: value, name, depth + 1, visit)
      }
    case .dictionary(let members):
      for member in members {
        let name = nesting == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]"
        try forEachLeaf(of: member.value, name, depth + 1, visit)
      }
    case .null where nulls == .omitted: break
    default: try visit(name, value)
    }
  }

  /// Returns the text of a leaf.
  ///
  /// Data becomes Base64.
  ///
  /// - Throws: ``ParameterEncodingError`` with the name if the leaf is a number that is not finite.
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

  /// Returns the percent-encoded fields, such as `name=value&name=value`.
  ///
  /// - Throws: ``ParameterEncodingError`` as for `forEachLeaf(of:_:)` and `text(of:name:)`.
  func encodedFields(
    of parameters: Parameters, with encoding: PercentEncoding
  ) throws -> [UInt8] {
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
