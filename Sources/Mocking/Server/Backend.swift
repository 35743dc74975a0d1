/// What a ``MockServer`` answers from; replaced as a whole, with the accounts of its sequences, its scenarios
/// and how often its routes have answered.
struct Backend: Sendable {
  let routes: [Route]
  let book: StubBook
  let ledger = MockLedger()
  /// Which number the first of the routes has in the journal.
  var firstRoute = 0
}
