// Aliases for programs with types of the same names. The class `Networking` hides the module, so
// that `Networking.JSON` is looked up in the class. `NetworkJSON` needs no module name.

/// The type ``Request``, for a program with a type `Request` of its own.
///
/// `Networking.Request` is the same type.
public typealias NetworkRequest = Request

/// The type ``Response``, for a program with a type `Response` of its own.
///
/// `Networking.Response` is the same type.
public typealias NetworkResponse = Response

/// The type ``JSON``, for a program with a type `JSON` of its own.
///
/// `Networking.JSON` is the same type.
public typealias NetworkJSON = JSON

extension Networking {
  /// The type `Request` of this module, for a program with a type `Request` of its own.
  public typealias Request = NetworkRequest

  /// The type `Response` of this module, for a program with a type `Response` of its own.
  public typealias Response = NetworkResponse

  /// The type `JSON` of this module, for a program with a type `JSON` of its own.
  public typealias JSON = NetworkJSON
}
