import Dispatch
public import Foundation
public import Promises

extension Promise where Value == Response {
  /// Decodes the JSON body as a `Decodable` value.
  ///
  /// The decoder runs on the thread that settles the promise. A body of more than 16 KiB that arrives
  /// on an I/O thread is decoded on another thread, so that it does not delay other requests.
  ///
  /// If the response has no body (status 204 or 205, or an empty body), the value is `nil` for an
  /// `Optional` type, and a new instance for ``EmptyResponse``. For any other type, the promise is
  /// rejected with `noData`.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses the decoder of
  ///     the client (``NetworkingConfiguration/decoder``).
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the value. It is rejected with a ``NetworkError`` with the code
  ///   `decodingFailed` or `noData`, which contains the response.
  @inlinable
  public func decode<Output: Decodable & Sendable>(
    _ type: Output.Type = Output.self, decoder: JSONDecoder? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Output> {
    serialize(using: DecodableSerializer(type, decoder: decoder), file: file, line: line)
  }

  /// Decodes the JSON body on the caller's actor, as a value whose type conforms to `Decodable` on
  /// this actor.
  ///
  /// In a module whose default isolation is the main actor, `struct Board: Codable` is such a type: its
  /// conformance can only be used on the main actor. With `nonisolated struct Board: Codable`, the
  /// body is decoded by ``decode(_:decoder:file:line:)``, off the main actor.
  ///
  /// Only code that is isolated to an actor can call this method. The type parameter of a generic
  /// function without isolation must be `Decodable & Sendable`, for
  /// ``decode(_:decoder:file:line:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses the decoder of
  ///     the client (``NetworkingConfiguration/decoder``).
  ///   - isolation: The actor of the caller, on which the decoder runs.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the value, as from ``decode(_:decoder:file:line:)``.
  @_disfavoredOverload
  public func decode<Output: Decodable>(
    _ type: Output.Type = Output.self, decoder: JSONDecoder? = nil,
    isolation: isolated any Actor = #isolation,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Output> {
    map(isolation: isolation, file: file, line: line) { response in
      try (decoder ?? response.decoder).decodeBody(of: response)
    }
  }

  /// Returns the bytes of the body.
  ///
  /// An empty body is not an error.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the bytes.
  public func toData(file: StaticString = #fileID, line: UInt = #line) -> Promise<Data> {
    map(file: file, line: line) { response in response.data }
  }

  /// Decodes the body as text.
  ///
  /// A byte order mark is removed. A `charset` can have any name of the Encoding Standard whose
  /// encoding the platform can read, such as `koi8-r` or `euc-jp`. A text that is no such name, such
  /// as `none` or `utf8mb4`, counts as no `charset`.
  ///
  /// - Parameters:
  ///   - encoding: The text encoding, which overrides the `charset` of the response. `nil` uses
  ///     that `charset`, or UTF-8 if there is none.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the text. It is rejected with a ``NetworkError`` with the code
  ///   `stringFailed`, which contains the response.
  public func toString(
    encoding: String.Encoding? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<String> {
    serialize(using: StringSerializer(encoding: encoding), file: file, line: line)
  }

  /// Converts the response with a custom serializer.
  ///
  /// - Parameters:
  ///   - serializer: The serializer. It runs on the thread that settles the promise or, for a body of
  ///     more than 16 KiB that arrives on an I/O thread, on another thread.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the serializer's output. It is rejected with the serializer's error.
  @inlinable
  public func serialize<Serializer: ResponseSerializing>(
    using serializer: Serializer, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Serializer.Output> {
    parse(file: file, line: line) { response in try serializer.serialize(response) }
  }

  /// Reads the body inline or, if it is large and this is a thread of a transport, on another thread.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  ///   - read: The closure that reads the body. It runs at most once.
  /// - Returns: A promise of its result.
  @inlinable
  package func parse<Output: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ read: @escaping @Sendable (_ response: Response) throws -> Output
  ) -> Promise<Output> {
    map(
      on: LargeBodies.context, if: { LargeBodies.mustMove($0) }, file: file, line: line, read)
  }

  // MARK: - JSON

  /// Parses the body as JSON.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the value. It is rejected with a ``NetworkError`` with the code
  ///   `jsonFailed` or `noData`, which contains the response.
  public func toJson(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
    serialize(using: JSONSerializer(), file: file, line: line)
  }

  /// Parses the body as a JSON array.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the elements. It is rejected as for ``toJson(file:line:)``, and also
  ///   with `jsonFailed` if the root of the JSON is not an array.
  public func toJsonArray(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[JSON]> {
    toJson("an array", \.array, file, line)
  }

  /// Parses the body as a JSON object.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the members. It is rejected as for ``toJson(file:line:)``, and also
  ///   with `jsonFailed` if the root of the JSON is not an object.
  public func toJsonDictionary(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[String: JSON]> {
    toJson("an object", \.dictionary, file, line)
  }

  private func toJson<Output: Sendable>(
    _ kind: String, _ extract: @escaping @Sendable (JSON) -> Output?, _ file: StaticString,
    _ line: UInt
  ) -> Promise<Output> {
    parse(file: file, line: line) { response in
      guard let value = extract(try JSONSerializer().parse(response)) else {
        throw NetworkError(.jsonFailed, response, "it is not \(kind)")
      }
      response.statusCheck?.noteDecoding()
      return value
    }
  }
}

/// The bodies that are not read on the threads of transports and servers.
@usableFromInline
package enum LargeBodies {
  /// The limit for a body that is read on such a thread, in bytes.
  package static let limit = 16 << 10

  @usableFromInline
  package static let context = ExecutionContext.queue(
    DispatchQueue(label: "Catena.LargeBodies", attributes: .concurrent))

  /// Returns whether a body must be read on another thread than the current one.
  @usableFromInline
  package static func mustMove(_ response: Response) -> Bool {
    response.data.count > limit && TransportThread.isCurrent
  }
}

extension NetworkError {
  /// Decodes the body of the response, such as a problem description of the server.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder. `nil` uses that of the client
  ///     (``NetworkingConfiguration/decoder``).
  /// - Returns: The decoded value.
  /// - Throws: ``NetworkError`` with the same request and response: ``Code-swift.enum/noData`` if
  ///   there is no body, ``Code-swift.enum/decodingFailed`` if the body cannot be decoded.
  public func decodeBody<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
  ) throws -> Value {
    var failure = self
    failure.reason = nil
    failure.underlying = nil
    guard let body, !body.isEmpty else {
      failure.code = .noData
      throw failure
    }
    let decoder = decoder ?? request?.attributes[DecoderKey.self] ?? DecoderKey.defaultValue
    do {
      return try decoder.decode(fromText: body)
    } catch {
      failure.code = .decodingFailed
      failure.underlying = error
      throw failure
    }
  }
}
