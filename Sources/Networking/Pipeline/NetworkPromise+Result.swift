import Promises

extension Promise where Value == Response {
  /// A promise of whatever comes of this one, rejected only when that is a cancellation.
  func asResult() -> Promise<Result<Response, any Error>> {
    map { response -> Result<Response, any Error> in .success(response) }
      .recover(on: .inline) { error -> Result<Response, any Error> in .failure(error) }
  }
}
