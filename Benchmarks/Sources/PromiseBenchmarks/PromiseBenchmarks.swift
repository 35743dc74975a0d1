import Foundation

/// Measures Catena's promises and their peers.
@main
enum PromiseBenchmarks {
  static func main() {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      print(Options.usage)
      exit(2)
    }
    let shapes = Shape.all.filter { options.filter.isEmpty || $0.name.contains(options.filter) }
    if options.isCheck { exit(Thresholds.check(shapes) ? 0 : 1) }

    let measurements = shapes.map { $0.measured(rounds: options.rounds) }
    Report.figures(measurements)
    print("")
    Report.figuresWithoutContext(measurements)
    print("\nAllocations are those of the measuring thread. Budgets:\n")
    Report.budgets(measurements)
  }
}
