import Foundation
import Networking
public import Promises

/// The keys of the transfers of a background session.
///
/// ``Networking/backgroundTransfers(file:line:)`` returns them.
public struct BackgroundTransfers: Sendable, Hashable {
  /// The keys of running transfers, in ascending order.
  ///
  /// The key is ``Request/transferKey``, or the hash that takes its place.
  public let unfinished: [String]
  /// The keys of transfers that have ended with an unclaimed response or error, in ascending order.
  public let finished: [String]
}

extension Networking {
  /// Waits until the system has delivered the events of all transfers that ended while the program did
  /// not run.
  ///
  /// Call it when the system launches or wakes the app for the session, and call the completion handler
  /// of the system when the promise is fulfilled:
  ///
  /// ```swift
  /// func application(
  ///   _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
  ///   completionHandler: @escaping () -> Void
  /// ) {
  ///   films.handleBackgroundTransferEvents(identifier: identifier).always { _ in completionHandler() }
  /// }
  /// ```
  ///
  /// - **Guarantee.** When the promise is fulfilled, the files of all ended downloads are in their places,
  ///   except those that cannot be written, which are the ``NetworkError/Code-swift.enum/fileNotWritten``
  ///   of their transfers. Each response and error has been delivered to its promise, or is stored until
  ///   it is claimed; if it cannot be stored, for example because the disk is full, only this run of the
  ///   program knows it. The handlers of promises that no interceptor has delayed, for example by a
  ///   retry, have been scheduled before the handlers of this one; in a serial ``callbackContext`` such
  ///   as the main queue they have run.
  /// - **Repeated calls.** Each launch or wake needs a call. Promises of calls that overlap are fulfilled
  ///   together. If the events have ended before the call, and no transfer has ended since, the promise is
  ///   fulfilled at once.
  /// - **Cancellation.** Cancelling the promise does not affect the transfers.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the session. All clients with this session may handle it.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise, whose handlers run in ``callbackContext``. It is rejected with
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the client has no background session or one with
  ///   another identifier, and on macOS, which does not launch programs for their sessions.
  public func handleBackgroundTransferEvents(
    identifier: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    inCallbackContext(file, line) {
      let background = try backgroundTransport()
      guard background.identifier == identifier else {
        throw NetworkError(
          .unsupported, "The client has the background session \(background.identifier)")
      }
      #if os(macOS)
        throw NetworkError(.unsupported, "macOS does not launch programs for background sessions")
      #else
        return background.eventsEnd()
      #endif
    }
  }

  /// Returns the response of a background transfer that this or an earlier run of the program has
  /// started, without starting one.
  ///
  /// ```swift
  /// networking.backgroundTransferResponse(forKey: "film-7").validate().done { response in show(response.file) }
  /// ```
  ///
  /// It is for a program that no longer has the request. Otherwise the same call of `download(_:to:)` or
  /// `request(_:)` finds its transfer again.
  ///
  /// - **Result.** The promise settles like that of the original call. If the transfer ended in an earlier
  ///   run, the response has no header fields with secrets such as `Set-Cookie`, its
  ///   ``Response/request`` has no header fields and a masked URL, and the body of an upload is limited
  ///   to 1 MiB.
  /// - **Repeated calls.** All callers of an unfinished transfer receive its result. The result of a
  ///   finished one is delivered once.
  /// - **Cancellation.** The transfer is cancelled when the promises of all its callers are cancelled. A
  ///   promise that is cancelled immediately may not have found its transfer, and cancels nothing: use
  ///   ``cancelBackgroundTransfer(forKey:file:line:)``. Releasing the client or ending the program does
  ///   not cancel the transfer.
  ///
  /// - Parameters:
  ///   - key: The ``Request/transferKey``, or a key of ``backgroundTransfers(file:line:)``.
  ///   - onProgress: A handler of the progress, as for ``RequestOption/onProgress(_:)``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response, whatever its status, whose handlers run in
  ///   ``callbackContext``. It is rejected like that of the original call; with
  ///   ``NetworkError/Code-swift.enum/connectionLost`` if the session has no transfer with the key, for
  ///   example because the system has lost it; with ``NetworkError/Code-swift.enum/unsupported`` if the
  ///   client has no background session.
  public func backgroundTransferResponse(
    forKey key: String, @_inheritActorContext onProgress: TransferProgress.Handler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    let receiver: (any ProgressReceiver)? =
      if let onProgress { progressReceiver(onProgress) } else { nil }
    return enqueue(file, line) { [self] in
      firstly {
        try backgroundTransport().claim(key, attributes: context.attributes, progress: receiver)
      }
    }
  }

  /// Cancels a background transfer that this or an earlier run of the program has started.
  ///
  /// ```swift
  /// networking.cancelBackgroundTransfer(forKey: "film-7")
  /// ```
  ///
  /// The promises of its callers are rejected with ``NetworkError/Code-swift.enum/cancelled``. An
  /// unclaimed response or error of a transfer that has ended is dropped, and so is the data to continue an
  /// interrupted download; a downloaded file stays in its place. A later call with the key starts a new
  /// transfer. Nothing happens if there is no transfer with the key. A call that still waits for an
  /// interceptor or for a token has no transfer yet: cancel its promise.
  ///
  /// - **Threads.** May be called on any thread. The cancellation counts from this call on, also if the
  ///   system has not listed the transfers of earlier runs yet.
  /// - **Cancellation.** Cancelling the promise has no effect.
  ///
  /// - Parameters:
  ///   - key: The ``Request/transferKey``, or a key of ``backgroundTransfers(file:line:)``.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise, whose handlers run in ``callbackContext``. It is fulfilled when the transfers
  ///   of earlier runs are known and the system has been told. It is rejected with
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the client has no background session.
  @discardableResult
  public func cancelBackgroundTransfer(
    forKey key: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    inCallbackContext(file, line) {
      let background = try backgroundTransport()
      background.cancel(key)
      return background.keys().map { _ in }
    }
  }

  /// Returns the transfers of the client's background session, also those of earlier runs of the
  /// program, when the system has listed them.
  ///
  /// The list includes transfers whose promises this run has.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the transfers, whose handlers run in ``callbackContext``. It is rejected with
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the client has no background session.
  public func backgroundTransfers(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<BackgroundTransfers> {
    inCallbackContext(file, line) {
      try backgroundTransport().keys().map {
        BackgroundTransfers(unfinished: $0.unfinished, finished: $0.finished)
      }
    }
  }

  /// Returns a promise in the context of the client's handlers that follows another one.
  private func inCallbackContext<Value: Sendable>(
    _ file: StaticString, _ line: UInt, _ start: () throws -> Promise<Value>
  ) -> Promise<Value> {
    firstly(start).on(context.handlers, file: file, line: line)
  }

  private func backgroundTransport() throws(NetworkError) -> BackgroundTransport {
    guard let background = context.performer as? BackgroundTransport else {
      throw NetworkError(
        .unsupported,
        SessionConfiguration.supportsBackgroundSessions
          ? "The client has no background session: make it with SessionConfiguration.background"
          : BackgroundSource.refusal)
    }
    return background
  }
}
