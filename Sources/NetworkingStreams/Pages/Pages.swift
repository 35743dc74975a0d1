public import Foundation
import Networking
public import Promises

/// The pages of a list, as an asynchronous sequence.
///
/// ```swift
/// for try await page in networking.pages(of: .orders, next: .link) { show(page) }
///
/// networking.pages(of: .orders, next: .link).decode([Order].self).all()
///   .done { pages in show(pages.flatMap { $0 }) }
/// ```
///
/// `Networking.pages(of:next:)` makes a sequence. Its documentation describes the behavior. Each
/// iterator begins at the first page.
public struct Pages<Element: Sendable>: AsyncSequence, Sendable {
  let walk: PageWalk
  let transform: @Sendable (_ response: Response) throws -> Element

  /// Creates an iterator.
  ///
  /// - Returns: The iterator. It requests the first page when it is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(handle: PageReader.Handle(PageReader(walk)), transform: transform)
  }

  /// An iterator over the pages of a list.
  ///
  /// An iterator can be kept, for example for a button that loads the next page:
  ///
  /// ```swift
  /// private let pages = networking.pages(of: .orders, next: .link).decode([Order].self).makeAsyncIterator()
  ///
  /// func loadMore() async throws {
  ///   orders += try await pages.next() ?? []
  ///   hasMore = pages.hasNext
  /// }
  /// ```
  ///
  /// Copies share the position. When the last copy is released, the request of the next page is cancelled.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    let handle: PageReader.Handle
    let transform: @Sendable (_ response: Response) throws -> Element

    /// Whether there is another page, as far as it is known.
    ///
    /// `true` before the first page, and as long as the rule has found another one, also after its request has
    /// failed. `false` after the last page has been received, and after an error that ends the sequence.
    public var hasNext: Bool { handle.reader.hasNext }

    /// Returns the next page.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The page. `nil` after the last one.
    /// - Throws: ``NetworkError`` if the request fails, or `CancellationError` if the task is cancelled: a
    ///   further call requests the page again. The error of the rule, or of the conversion of a page, after
    ///   which the sequence has ended. `alreadyRead` while another call waits for a page.
    public func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      guard let response = try await handle.reader.next(isolation: actor) else { return nil }
      do {
        return try transform(response)
      } catch {
        handle.reader.stop()
        throw error
      }
    }

    /// Returns the next page, on systems before macOS 15 and iOS 18.
    ///
    /// - Returns: The page, as from ``next(isolation:)``.
    /// - Throws: The error of ``next(isolation:)``.
    @_disfavoredOverload
    public func next() async throws -> Element? { try await next(isolation: nil) }
  }

  /// Returns a promise of all pages in order.
  ///
  /// All pages are in memory at the end. Limit their number with the `limit` of the sequence.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: The promise. It is rejected with the error of the first page that fails. Cancelling it
  ///   cancels the request of the current page.
  public func all(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Element]> {
    ActivityExecutor.counting(for: walk.context.scheduler) {
      Promise(file: file, line: line) {
        var pages: [Element] = []
        for try await page in self { pages.append(page) }
        return pages
      }
    }
    .on(walk.context.handlers, file: file, line: line)
  }
}

extension Pages where Element == Response {
  /// Returns the pages with their JSON bodies decoded.
  ///
  /// - Parameters:
  ///   - type: The type of a page.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses
  ///     ``NetworkingConfiguration/decoder``.
  /// - Returns: The decoded pages. Their sequence throws ``NetworkError`` with the code
  ///   `decodingFailed` or `noData` for a page that cannot be decoded.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
  ) -> Pages<Value> {
    serialize(using: DecodableSerializer(type, decoder: decoder))
  }

  /// Returns the pages with their bodies parsed as JSON.
  ///
  /// - Returns: The values. Their sequence throws ``NetworkError`` with the code `jsonFailed` or `noData`
  ///   for a page that is not JSON.
  public func toJson() -> Pages<JSON> { serialize(using: JSONSerializer()) }

  /// Returns the pages with their bodies decoded as text.
  ///
  /// - Parameter encoding: The text encoding, which overrides the `charset` of the response. `nil` uses
  ///   that `charset`, or UTF-8 if there is none.
  /// - Returns: The texts. Their sequence throws ``NetworkError`` with the code `stringFailed` for a page
  ///   that is not text.
  public func toString(encoding: String.Encoding? = nil) -> Pages<String> {
    serialize(using: StringSerializer(encoding: encoding))
  }

  /// Returns the pages, each converted by a serializer.
  ///
  /// - Parameter serializer: The serializer. It runs on the thread of the task that reads the sequence.
  /// - Returns: The converted pages. Their sequence throws the error of the serializer.
  public func serialize<Serializer: ResponseSerializing>(
    using serializer: Serializer
  ) -> Pages<Serializer.Output> {
    Pages<Serializer.Output>(walk: walk) { response in try serializer.serialize(response) }
  }
}

extension Networking {
  /// Returns the pages of a list, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await page in networking.pages(of: .orders, next: .link) { show(page) }
  /// ```
  ///
  /// - **Requests.** The first page is the response to the endpoint. The rule finds the request of
  ///   each next page. Each page is a request of its own in the client's queue, with the retry policy,
  ///   the deadlines and the interceptors of the client.
  /// - **Demand.** Without `ahead`, a page is requested when the loop asks for it. With `ahead`, up to
  ///   that number of pages is requested before the loop asks for them, one after another.
  /// - **End.** The sequence ends after the page for which the rule returns `nil`, or after `limit`
  ///   pages. A page whose status is not 2xx is thrown as an error. An iterator that is kept after an
  ///   error of a request requests the page again.
  /// - **Loops.** A page that has been requested before is an error with the code `pageLoop`.
  /// - **Origins.** A page on another origin than the first is requested without header fields that
  ///   are secrets, and without credentials. A page on `http` after `https` is refused.
  /// - **Cancellation.** When the task is cancelled, or when the loop is left, the current request is
  ///   cancelled, and no other page is requested.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the first page.
  ///   - rule: The rule that finds the next page.
  ///   - limit: The maximum number of pages. `nil` means no limit.
  ///   - ahead: The number of pages that are requested before the loop asks for them.
  ///   - options: The options of the first request, which are applied in order. The other pages have its
  ///     settings, header fields and attributes too, unless a request of the rule sets them. Pages are
  ///     never stored offline.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The sequence of responses. It throws a ``NetworkError`` like that of
  ///   `request(_:_:file:line:)` with `validate()`; `pageLoop`; `redirectRefused` or
  ///   `malformedResponse` for a URL that cannot be followed; and the errors of the rule.
  public func pages(
    of endpoint: Endpoint, next rule: PageRule, limit: Int? = nil, ahead: Int = 0,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Pages<Response> {
    pages(endpoint, rule, limit, ahead, options, file, line)
  }

  /// Returns the pages of a list of a typed endpoint, like those of an `Endpoint`.
  @_disfavoredOverload
  public func pages(
    of endpoint: some TypedEndpoint, next rule: PageRule, limit: Int? = nil, ahead: Int = 0,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Pages<Response> {
    pages(endpoint, rule, limit, ahead, options, file, line)
  }

  private func pages(
    _ endpoint: some RequestConvertible, _ rule: PageRule, _ limit: Int?, _ ahead: Int,
    _ options: [RequestOption], _ file: StaticString, _ line: UInt
  ) -> Pages<Response> {
    let walk = PageWalk(
      rule: rule, limit: limit ?? .max, ahead: ahead, context: context,
      sessions: { [self] in currentSessions }, first: { try endpoint.request.applying(options) }
    ) { [self] request, sessions, prepare in
      var call = CallOptions(options + [.page(request)])
      call.prepare = prepare
      call.sessions = sessions
      return send(endpoint, call, file, line)
        .validate(file: file, line: line)
    }
    return Pages(walk: walk) { $0 }
  }
}

extension RequestOption {
  /// Returns an option that replaces the request by that of a page.
  ///
  /// The page has the settings, header fields and attributes of the first request that it does not set
  /// itself.
  fileprivate static func page(_ page: Request) -> RequestOption {
    change { request in
      let first = request
      request = page.with(.queryFormat(page.queryFormat ?? first.queryFormat))
      request.headers = first.headers.merging(page.headers)
      request.attributes.addMissing(first.attributes)
      request.storePolicy = .none
      if page.cachePolicy == .default { request.cachePolicy = first.cachePolicy }
      request.cacheLifetime = page.cacheLifetime ?? first.cacheLifetime
      if page.priority == .normal { request.priority = first.priority }
      request.timeout = page.timeout ?? first.timeout
      request.isShared = page.isShared ?? first.isShared
      request.isIntercepted = page.isIntercepted && first.isIntercepted
      request.sendsCredentials = page.sendsCredentials ?? first.sendsCredentials
      request.retry = page.retry ?? first.retry
      if case .none = page.onProgress { request.onProgress = first.onProgress }
    }
  }
}

extension Pages: BrieflyDescribed {}
