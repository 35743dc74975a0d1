struct Circle {
  var radius = 1
}

enum Color: String, CaseIterable {
  case red
}

protocol Named {
  func name() -> String
}

typealias Box = Square

func paint(_ color: Color) {}

func listed() -> URL? { URL(string: "/") }

// What is declared here is used in Middle.  // planted
extension Square: Named {
  func name() -> String { "square" }
}

infix operator <+>

extension Square {
  init(wide: Int) { self.init(side: wide) }
  static func <+> (left: Square, right: Square) -> Square { left }
  subscript(index: Int) -> Int { side }
  func grow() {}

  var doubled: Int {
    get { side * 2 }
    set { side = newValue / 2 }
  }
}

// Middle can use this conformance without a reference to `description`.
extension Kind: CustomStringConvertible {  // planted
  var description: String { "plain" }
}

extension Square: Shape {  // planted
  var area: Int { side * side }
}

extension Circle: Shape {
  var area: Int { 3 * radius * radius }
}

extension DefaultStringInterpolation {
  mutating func appendInterpolation(roof: Int) {}
}
