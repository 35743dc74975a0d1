import BenchmarkSupport

/// The printed tables: figures and budgets, both in Markdown.
enum Report {
  static func figures(_ measurements: [Measurement]) {
    var table = Table(
      "shape", "Catena", "NIO", "Task", "Catena / NIO", "min..max", "allocations", "NIO allocations"
    )
    for one in measurements where one.comparison == .nio {
      table.add(
        one.name,
        one.catena.nanoseconds.median.duration, one.reference.nanoseconds.median.duration,
        one.tasks?.nanoseconds.median.duration ?? "",
        one.ratios.median.text(2), one.ratios.spread,
        one.catena.allocations.text(0), one.reference.allocations.text(0))
    }
    table.printed()
  }

  /// The figures of steps without a context, compared with the same steps with one.
  static func figuresWithoutContext(_ measurements: [Measurement]) {
    var table = Table(
      "shape", "without on:", "with on:", "ratio", "min..max", "allocations",
      "allocations with on:")
    for one in measurements where one.comparison == .explicitContext {
      table.add(
        one.name,
        one.catena.nanoseconds.median.duration, one.reference.nanoseconds.median.duration,
        one.ratios.median.text(2), one.ratios.spread,
        one.catena.allocations.text(0), one.reference.allocations.text(0))
    }
    table.printed()
  }

  static func budgets(_ measurements: [Measurement]) {
    var table = Table("budget", "measured", "verdict")
    for one in measurements {
      for budget in one.budgets {
        let (finding, isMet) = budget.verdict(on: one)
        table.add(one.name, finding, isMet ? "ok" : "MISSED")
      }
    }
    let growths = [WhenGrowth.time(in: measurements), WhenGrowth.memory(in: measurements)]
    for growth in growths.compactMap(\.self) {
      table.add(growth.name, growth.finding, growth.isMet ? "ok" : "MISSED")
    }
    table.printed()
  }
}
