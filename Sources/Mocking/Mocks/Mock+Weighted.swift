import Networking

extension Mock {
  /// Several mocks, one of which is drawn for each request.
  final class WeightedChoice: Sendable {
    private let choices: [(limit: Double, mock: Mock)]

    /// Creates a choice, or returns `nil` if the weights are not usable.
    ///
    /// - Parameter choices: The mocks with their weights, which must be finite, not negative and not
    ///   all 0.
    init?(_ choices: [(weight: Double, mock: Mock)]) {
      guard choices.allSatisfy({ $0.weight.isFinite && $0.weight >= 0 }) else { return nil }
      var sum = 0.0
      var limits: [(Double, Mock)] = []
      for (weight, mock) in choices where weight > 0 {
        sum += weight
        limits.append((sum, mock))
      }
      guard sum > 0, sum.isFinite else { return nil }
      self.choices = limits.map { ($0.0 / sum, $0.1) }
    }

    /// The mocks with a weight above 0, with their shares of all responses.
    var shares: [(share: Double, mock: Mock)] {
      choices.enumerated().map { index, choice in
        (choice.limit - (index > 0 ? choices[index - 1].limit : 0), choice.mock)
      }
    }

    /// Returns the mock for a random number from 0 up to but not including 1.
    func mock(at number: Double) -> Mock {
      choices.first { number < $0.limit }?.mock ?? choices[choices.count - 1].mock
    }
  }

  /// Returns a mock that draws its response for each request.
  ///
  /// ```swift
  /// MockProvider { _ in .weighted((9, .json([])), (1, .status(503))) }
  /// ```
  ///
  /// The numbers are drawn from the `seed` of the server, transport or provider: requests in the same
  /// order receive the same responses in each run.
  ///
  /// - Parameter choices: The responses, each with its weight. A weight is relative to the sum of all
  ///   weights. If a weight is negative or not finite, or if all are 0, the request fails in memory,
  ///   and on a socket the response is a 500.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for its responses.
  public static func weighted(_ choices: (weight: Double, mock: Mock)...) -> Mock {
    weighted(choices)
  }

  /// Returns a mock that draws its response from an array for each request.
  ///
  /// - Parameter choices: The responses, each with its weight, as in the variadic form.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for its responses.
  public static func weighted(_ choices: [(weight: Double, mock: Mock)]) -> Mock {
    var mock = Mock()
    mock.source =
      WeightedChoice(choices).map { .weighted($0) }
      ?? .invalid("the weights of the responses must be 0 or more, finite, and not all 0")
    return mock
  }
}
