/// The options of the command line.
struct Options {
  var rounds = 15
  var filter = ""
  var isCheck = false

  static let usage = """
    usage: PromiseBenchmarks [--quick] [--filter NAME] [--check]
      --quick        5 rounds instead of 15
      --filter NAME  only shapes whose name contains NAME
      --check        only count Catena's allocations; exit status 1 if a count has grown by more
                     than a tenth
    """

  /// Parses the arguments; returns `nil` if they are invalid.
  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--quick": rounds = 5
      case "--check": isCheck = true
      case "--filter":
        guard let name = rest.next() else { return nil }
        filter = name
      default: return nil
      }
    }
  }
}
