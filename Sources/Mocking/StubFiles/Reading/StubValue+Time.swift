import Networking

extension StubValue {
  /// A time with its unit, `80 ms`.
  func duration() throws(JSONProblem) -> Duration {
    let expectation = "a time such as \"80 ms\", \"1.5 s\" or \"2 min\""
    let text = try string(expectation).filter { $0 != " " }
    let units: [(name: String, seconds: Double)] = [
      ("us", 1e-6), ("ms", 1e-3), ("min", 60), ("s", 1),
    ]
    for unit in units where text.hasSuffix(unit.name) {
      let number = text.dropLast(unit.name.count)
      guard let first = number.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
        let amount = Double(number), amount * unit.seconds <= 86_400
      else { break }
      return .seconds(amount * unit.seconds)
    }
    throw expected("\(expectation), a day at the most")
  }

  /// A time, always the same or drawn by lot.
  func delay() throws(JSONProblem) -> MockDelay {
    if case .string = json { return .fixed(try duration()) }
    let expectation =
      "a time such as \"80 ms\", {\"from\": …, \"to\": …} or {\"median\": …, \"sigma\": …, \"cap\": …}"
    let object = try object(["from", "to", "median", "sigma", "cap", "seed"], expectation)
    let seed = UInt64(try object["seed"]?.int(0...Int.max, "a whole number, 0 or more") ?? 0)
    let names = Set(object.members.keys).subtracting(["seed"])
    if names == ["from", "to"] {
      let (least, most) = (
        try object.required("from", "a time").duration(),
        try object.required("to", "a time").duration()
      )
      guard least <= most else { throw expected("a \"from\" that is not after \"to\"") }
      return .uniform(least, most, seed: seed)
    }
    guard names == ["median", "sigma", "cap"] else { throw expected(expectation) }
    let sigma = try object.required("sigma", "a number")
    guard let deviation = sigma.json.double, (0...10).contains(deviation) else {
      throw sigma.expected("a number from 0 to 10")
    }
    return .logNormal(
      median: try object.required("median", "a time").duration(), sigma: deviation,
      cap: try object.required("cap", "a time").duration(), seed: seed)
  }
}
