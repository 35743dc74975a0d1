// The checks of parameters that a server would ignore, or would read as other parameters.
extension FieldWriter {
  /// Checks a name for characters that have another meaning in the format.
  ///
  /// A name of the root is sent as given, unless the format is that of a known server.
  func check(_ name: String, isAtRoot: Bool) throws {
    if rejectsPlusSigns, name.utf8.contains(UInt8(ascii: "+")) {
      throw error("has a plus sign in its name, which the format cannot distinguish from a space")
    }
    let server = isAtRoot ? root.server : format.server
    guard isAtRoot ? server != .any : format.nesting.isPrefixing else { return }
    if name.isEmpty { throw error("has an empty name, which the format cannot represent") }
    if let character = reserved(by: server, isAtRoot: isAtRoot).first(where: {
      name.unicodeScalars.contains($0)
    }) {
      throw error(
        "has \(Self.description(of: character)) in its name, which the format cannot represent")
    }
    switch server {
    case .php
    where !isAtRoot && name.utf8.count == 1
      && " \t\n\u{B}\u{C}\r".utf8.contains(name.utf8.first ?? 0):
      throw error("has a name of one space, which PHP ignores")
    case .qs where Self.prototypeNames.contains(name):
      throw error("has a name that qs ignores, because all objects of JavaScript have it")
    default: break
    }
  }

  /// The characters that names must not contain.
  private func reserved(by server: QueryFormat.Server, isAtRoot: Bool) -> [Unicode.Scalar] {
    switch (server, isAtRoot) {
    case (.any, _): format.nesting == .dots ? [".", "[", "]"] : ["[", "]"]
    case (.php, true): ["[", "]", ".", " ", "\0"]
    case (.php, false): ["[", "]", "\0"]
    case (.rack, false): ["[", "]", "\n"]
    case (.rack, true), (.qs, _): ["[", "]"]
    }
  }

  private static func description(of character: Unicode.Scalar) -> String {
    switch character {
    case " ": "a space"
    case "\0": "a NUL"
    case "\n": "a line break"
    case ".": "a dot"
    default: "a bracket"
    }
  }

  /// The names of the members of `Object.prototype`.
  private static let prototypeNames: Set<String> = [
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__",
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf",
  ]

  /// Checks that qs does not read a dictionary as an array.
  func checkNumbers(_ names: some Sequence<String>) throws {
    guard format.server == .qs, names.allSatisfy({ Int($0)?.description == $0 }) else { return }
    throw error("has only numbers as names, so that qs reads it as an array")
  }

  /// Checks that Rack begins a new element with a node of an array.
  ///
  /// Rack adds a field to the last element if that is a dictionary that does not have the field. It
  /// never finds a field that is an array.
  ///
  /// - Parameters:
  ///   - node: The element.
  ///   - last: The element before, or `nil` for the first one.
  /// - Throws: ``ParameterEncodingError`` with the path of the element.
  func check(_ node: Node, after last: Node?) throws {
    if case .array = node {
      throw error("is an array in an array, which the format cannot represent")
    }
    guard case .dictionary = node, var known = last, case .dictionary = known else { return }
    var rest = node
    while case .dictionary(let members) = rest, let first = members.first {
      guard case .dictionary(let others) = known,
        let other = others.first(where: { $0.name.utf8.elementsEqual(first.name.utf8) })
      else { throw error(Self.joinedByRack) }
      (rest, known) = (first.node, other.node)
    }
    if case .array = rest { throw error(Self.joinedByRack) }
  }

  private static let joinedByRack =
    "would be joined with the element before it, because its first field is not in that one"
}

extension QueryFormat {
  /// A server whose rules for names are checked.
  enum Server: String, Codable {
    case any
    case php
    case rack
    case qs
  }
}

extension QueryFormat.Nesting {
  /// Whether the names of members are added to those of their dictionaries.
  fileprivate var isPrefixing: Bool { self == .brackets || self == .dots }
}
