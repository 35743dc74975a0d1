extension Parameters {
  /// The named values of a dictionary, in the order in which they were first set.
  ///
  /// A name occurs once: setting it again, also by a literal, replaces its value where it stands.
  public struct Members: Sendable {
    /// One name and its value.
    public struct Member: Sendable, Hashable {
      /// The name.
      public let name: String
      /// The value.
      public internal(set) var value: Parameters
    }

    private var members: [Member] = []
    /// Where the names stand; only for many of them, as looking through a few is quicker.
    private var positions: [String: Int]?

    /// Makes members of pairs.
    ///
    /// - Parameter pairs: names and values; of those with the same name the last value counts.
    public init(_ pairs: some Sequence<(key: String, value: Parameters)>) {
      members.reserveCapacity(pairs.underestimatedCount)
      for (name, value) in pairs { self[name] = value }
    }

    /// The value of a name; setting nil removes it.
    ///
    /// - Parameter name: the name.
    public subscript(name: String) -> Parameters? {
      get { position(of: name).map { members[$0].value } }
      set {
        switch (position(of: name), newValue) {
        case (let position?, let value?):
          members[position].value = value
        case (let position?, nil):
          members.remove(at: position)
          positions = nil
          indexIfMany()
        case (nil, let value?):
          positions?[name] = members.count
          members.append(Member(name: name, value: value))
          if positions == nil { indexIfMany() }
        case (nil, nil):
          break
        }
      }
    }

    private func position(of name: String) -> Int? {
      if let positions { return positions[name] }
      return members.firstIndex { $0.name == name }
    }

    private mutating func indexIfMany() {
      guard members.count > 16 else { return }
      var positions: [String: Int] = [:]
      for (position, member) in members.enumerated() { positions[member.name] = position }
      self.positions = positions
    }
  }
}

extension Parameters.Members: RandomAccessCollection {
  /// Where the first member stands.
  public var startIndex: Int { 0 }
  /// The end, behind the last member.
  public var endIndex: Int { members.count }
  /// The member at a position.
  ///
  /// - Parameter position: a valid position.
  public subscript(position: Int) -> Member { members[position] }
}

extension Parameters.Members: Hashable {
  /// Whether both have the same members in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
  /// Feeds the members to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Parameters.Members: ExpressibleByDictionaryLiteral {
  /// Makes members of a literal, in its order; of the same names the last value counts.
  ///
  /// - Parameter elements: names and values.
  public init(dictionaryLiteral elements: (String, Parameters)...) {
    self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
  }
}
