/// How far a promise is.
///
///     pending ──settle──▶ delivering ⇄ extended
///        │                  │   ▲
///        │                  ▼   │ attach
///        └──nobody waits──▶ delivered
///
/// `delivering` and `delivered` stay apart for the sake of order: while one thread runs the reactions
/// of a settlement, a reaction attached by another joins the end of the list instead of overtaking
/// it. `extended` tells the delivering thread that the list is not at its end, so that at the end it
/// needs no lock.
@usableFromInline
enum Progress: UInt8, Sendable {
  case pending
  /// Settled; one thread is running the reactions.
  case delivering
  /// The same, and there are more in the list than it has taken.
  case extended
  /// Settled, and every reaction attached so far has run or been sent on its way.
  case delivered
}
