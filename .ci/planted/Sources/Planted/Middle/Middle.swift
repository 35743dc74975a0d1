// A comment can name Circle, Color.red and grow().
func text() -> String { "Circle, Color.red and \(use(Kind.plain))" }

func aType(_: Circle) {}  // planted
func alias(_: Box) {}  // planted
func member() { Square().grow() }  // planted
func anOperator() -> Square { Square() <+> Square() }  // planted
func initializer() -> Square { .init(wide: 1) }  // planted
func getter() -> Int { Square().doubled }  // planted
func setter(_ square: inout Square) { square.doubled = 1 }  // planted
func keyPath() -> [Int] { sides().map(\.doubled) }  // planted
func anElement() -> Int { Square()[0] }  // planted
func interpolation() -> String { "side \(Square().doubled)" }  // planted
func ownInterpolation() -> String { "\(roof: 1)" }  // planted
func witness() -> String { Square().name() }  // planted

func function() {
  paint(  // planted
    .red)  // planted
  paint(  // planted
    .init(rawValue: "red")  // planted
      ?? .red)  // planted
}

func url() -> URL? { URL(string: "/") }  // planted
func parts() -> URLComponents? { URLComponents(string: "/") }  // planted
func implicit() -> URL? { .init(string: "/") }  // planted
func references() -> [URL?] { ["/"].map(URL.init(string:)) }  // planted
func severalLines() -> URL? {
  URL(  // planted
    string: "/")
}
// Not URL(string: "/").

func line() { print("line") }  // planted
func qualified() { Swift.print("line") }  // planted
func lines() { ["a"].forEach { debugPrint($0) } }  // planted
func handle() -> FileHandle { .standardOutput }  // planted
func handles() -> [FileHandle] { [FileHandle.standardError] }  // planted
// Not print("line").
func text(print: String) -> String { "print(\(print)), stderr" }
func child(_ process: Process) -> Int { process.standardError }

struct Triangle: Named {  // planted
  func name() -> String { "triangle" }
}
