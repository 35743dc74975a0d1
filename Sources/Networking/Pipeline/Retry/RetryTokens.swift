/// The bucket of a ``RetryBudget``, counted in thousandths, as tenths do not add up in binary; without
/// one there is always a token.
struct RetryTokens {
  private let isLimited: Bool
  private let capacity: Int
  private let refund: Int
  private var thousandths: Int

  init(_ budget: RetryBudget?) {
    isLimited = budget != nil
    let budget = budget ?? RetryBudget()
    let most = Int(Int32.max)
    capacity = min(max(budget.capacity, 0), most) * 1_000
    // What is no number is nothing.
    let part = budget.refund.isNaN ? 0 : budget.refund
    refund = Int((min(max(part, 0), Double(most)) * 1_000).rounded())
    thousandths = capacity
  }

  /// Takes a token for a repetition; false when there is none.
  mutating func withdraw() -> Bool {
    guard isLimited else { return true }
    guard thousandths >= 1_000 else { return false }
    thousandths -= 1_000
    return true
  }

  /// Gives back what an answer is worth.
  mutating func deposit() {
    thousandths = min(capacity, thousandths + refund)
  }
}
