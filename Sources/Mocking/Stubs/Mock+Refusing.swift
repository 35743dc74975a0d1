extension Mock {
  /// What is answered when a handler or a template has thrown, or its promise was rejected.
  static func handlerFailed(_ error: any Error) -> Mock {
    .text("the handler failed: \(error)\n", status: 500)
  }

  /// What a server answers when what was to be answered cannot be made.
  static func unavailable(_ reason: String) -> Mock {
    .text("\(reason)\n", status: 500)
  }
}
