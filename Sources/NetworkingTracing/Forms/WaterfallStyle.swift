/// The appearance of a waterfall in a terminal.
public struct WaterfallStyle: Sendable, Hashable {
  /// The number of columns, at least 60.
  public var columns: Int { didSet { columns = max(columns, 60) } }
  /// Whether the critical path is in color, by the escape sequences of terminals.
  public var usesColor: Bool
  /// The limit for the number of spans in the table.
  ///
  /// The spans of the critical path have precedence, and then those that began first.
  public var rows: Int

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - columns: The number of columns.
  ///   - usesColor: Whether the critical path is in color.
  ///   - rows: The limit for the number of spans.
  public init(columns: Int = 80, usesColor: Bool = false, rows: Int = 200) {
    self.columns = max(columns, 60)
    self.usesColor = usesColor
    self.rows = max(rows, 0)
  }
}

extension TraceRecord {
  /// The trace as a table with bars, in 80 columns and without color.
  ///
  /// ```swift
  /// print(record.waterfall)
  /// ```
  ///
  /// The first line is the ``summary``. A star marks the spans of the critical path.
  public var waterfall: String { waterfall(WaterfallStyle()) }

  /// Returns the trace as a table with bars.
  ///
  /// - Parameter style: The appearance.
  /// - Returns: The table, without a final line break.
  public func waterfall(_ style: WaterfallStyle) -> String {
    WaterfallText(CheckedTrace(self), style).text
  }
}
