import Foundation

/// The typed attributes of a request.
///
/// Interceptors read them from ``Exchange/request``, plugins and retry policies from the
/// ``HTTPRequest``, monitors from ``NetworkEvent/request``, and error handlers from
/// ``NetworkError/request``. All attempts and redirects of a call have the same attributes, unless
/// an interceptor changes them. If a hook, an interceptor or a redirect policy returns a new
/// ``HTTPRequest``, the client adds the attributes that the new request does not set.
///
/// - **Identity.** Comparing and hashing requests ignores their attributes, so calls whose requests
///   differ in attributes only may share an exchange (``NetworkingConfiguration/sharesRequests``),
///   unless there are interceptors of attempts or hops.
/// - **Storage.** Attributes are not encoded. A request that is replayed from an ``OfflineStore``
///   has none.
/// - **Secrets.** Descriptions contain the names of the keys, but no values.
public struct RequestAttributes: Sendable {
  private struct Attribute: Sendable {
    let key: any RequestAttributeKey.Type
    let value: any Sendable
  }

  /// The attributes by the identity of their keys.
  ///
  /// An empty dictionary needs no allocation.
  private var attributes: [ObjectIdentifier: Attribute] = [:]

  /// Creates attributes without values.
  public init() {}

  /// Whether no attribute is set.
  public var isEmpty: Bool { attributes.isEmpty }

  /// The value of an attribute, or the default value of the key if the attribute is not set.
  ///
  /// - Parameter key: The type of the key.
  public subscript<Key: RequestAttributeKey>(key: Key.Type) -> Key.Value {
    get {
      guard !attributes.isEmpty, let attribute = attributes[ObjectIdentifier(key)],
        let value = attribute.value as? Key.Value
      else { return Key.defaultValue }
      return value
    }
    set { attributes[ObjectIdentifier(key)] = Attribute(key: key, value: newValue) }
  }

  /// Whether there are attributes that the client does not set itself.
  var hasCallersKeys: Bool {
    attributes.contains { $0.value.key != DecoderKey.self && $0.value.key != SecretNamesKey.self }
  }

  /// Returns these attributes with other attributes.
  ///
  /// - Parameter others: The other attributes, which replace those of the same keys.
  /// - Returns: The merged attributes.
  func merging(_ others: RequestAttributes) -> RequestAttributes {
    if isEmpty { return others }
    if others.isEmpty { return self }
    return copy(of: self) { $0.attributes.merge(others.attributes) { _, other in other } }
  }

  /// Adds those of other attributes whose keys are not set.
  ///
  /// - Parameter others: The other attributes.
  package mutating func addMissing(_ others: RequestAttributes) {
    guard !isEmpty else { return self = others }
    // Usually none is missing, and the dictionary is not copied.
    for (key, attribute) in others.attributes where attributes[key] == nil {
      attributes[key] = attribute
    }
  }
}

extension RequestAttributes: BrieflyDescribed {
  /// The names of the keys that are set, such as `[TenantKey]`, without values.
  public var description: String { "[\(keyNames.joined(separator: ", "))]" }

  /// A mirror with the names of the keys that are set.
  public var customMirror: Mirror { Mirror(self, children: ["keys": keyNames]) }

  private var keyNames: [String] { attributes.values.map { "\($0.key)" }.sorted() }
}

/// A stored property that comparing and hashing the containing value ignore.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package static func == (_: Uncompared, _: Uncompared) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}

/// An object that is equal only to itself.
package protocol HashableByIdentity: AnyObject, Hashable {}

extension HashableByIdentity {
  package static func == (left: Self, right: Self) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Returns a copy of a value with a change.
@inlinable
package func copy<Value>(of value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value
{
  var copy = value
  try change(&copy)
  return copy
}

/// A large value in an object, so that its owner is cheap to copy.
///
/// A change copies the value if it has several owners.
struct CopyOnWrite<Value: Sendable>: Sendable {
  // Unchecked, because the value is changed only while it has a single owner.
  private final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

// MARK: - Attributes of this module

/// The key of the decoder that a client uses for JSON bodies.
enum DecoderKey: RequestAttributeKey {
  /// The decoder of a client without one of its own.
  ///
  /// It is never modified.
  static let defaultValue = JSONDecoder()
}

/// The key of the names of secrets of the client that sends a request.
///
/// Everything that is made of the request has them: events, errors, responses and recordings.
enum SecretNamesKey: RequestAttributeKey { static let defaultValue = SecretNames.standard }

extension RequestAttributes {
  /// The rules that decide which values of the request and its response are secret.
  package var secretNames: SecretNames { self[SecretNamesKey.self] }

  /// The redactor of descriptions of the request and its response.
  package var redactor: Redactor {
    // Fast path: most requests have no names of their own.
    isEmpty || !secretNames.hasAdditions ? .standard : Redactor(names: secretNames)
  }
}
