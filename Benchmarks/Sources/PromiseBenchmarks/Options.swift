/// What the command line asks for.
struct Options {
  var rounds = 15
  var filter = ""
  var isCheck = false

  static let usage = """
    usage: PromiseBenchmarks [--quick] [--filter NAME] [--check]
      --quick        5 rounds instead of 15
      --filter NAME  only shapes whose name contains NAME
      --check        only count our allocations; exit 1 where they have grown by more than a tenth
    """

  /// Nil when the arguments make no sense.
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
