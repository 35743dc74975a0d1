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

  /// Converts the response, or the error of the request, with a custom serializer.
  ///
  /// - Parameters:
  ///   - serializer: The serializer. It runs like that of a response.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the serializer's output. It is rejected with the serializer's error, and
  ///   as cancelled.
  public func serialize<Serializer: ResultSerializing>(
    using serializer: Serializer, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Serializer.Output> {
    asResult().map(
      on: LargeBodies.context, if: { (try? $0.get()).map(LargeBodies.mustMove) ?? false },
      file: file, line: line, serializer.serialize)
  }

  /// Parses a URL-encoded body, such as the response of an older token endpoint.
  ///
  /// ```swift
  /// networking.request(.token).validate().toForm().done { form in use(form["access_token"].string) }
  /// ```
  ///
  /// The value has a member for each name: a string or, if the body has the name more than once, an
  /// array of strings in their order. A plus sign is a space. A name or value whose percent-encoding
  /// is not valid is unchanged.
  ///
  /// Source: the URL Standard (WHATWG) section 5.1, application/x-www-form-urlencoded parsing.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the fields. It is rejected with a ``NetworkError`` with the code
  ///   `stringFailed`, which contains the response.
  public func toForm(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
    serialize(using: FormSerializer(), file: file, line: line)
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
  static func mustMove(_ response: Response) -> Bool {
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

/// A serializer that parses a URL-encoded body.
struct FormSerializer: ResponseSerializing {
  /// Parses the body.
  ///
  /// - Parameter response: The response. An empty body has no members.
  /// - Returns: The names and their values.
  /// - Throws: ``NetworkError`` with the code `stringFailed` if the body is not text.
  func serialize(_ response: Response) throws -> JSON {
    var fields: [String: [JSON]] = [:]
    for field in try StringSerializer().serialize(response).split(separator: "&") {
      let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacing("+", with: " ").removingPercentEncoding ?? String($0) }
      fields[sides[0], default: []].append(.string(sides.count > 1 ? sides[1] : ""))
    }
    return .dictionary(fields.mapValues { $0.count == 1 ? $0[0] : .array($0) })
  }
}
