import Foundation
import Networking
import NetworkingTransfers

/// A line of text with the progress of a transfer, with a bar that fills the width of a terminal.
///
/// ```text
///  42 % [##########              ] 12.6 MB of 30.0 MB  3.1 MB/s  0:06 left
/// ```
struct ProgressBar {
  /// The number of columns of the terminal.
  var width = 80

  /// The smallest number of columns of the bar.
  ///
  /// The bar is omitted if there are fewer.
  private static let minimumBarWidth = 10

  /// Returns a line that is shorter than the terminal is wide, so that it does not wrap.
  func line(_ progress: Transfer.Progress) -> String {
    let details = Self.details(progress)
    guard let fraction = progress.fraction else { return String(details.prefix(width - 1)) }
    let percentage = Self.percentage(fraction)
    let columns = width - 1 - percentage.count - details.count - " [] ".count
    guard columns >= Self.minimumBarWidth else {
      return String("\(percentage) \(details)".prefix(width - 1))
    }
    let filled = Int(fraction * Double(columns))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: " ", count: columns - filled)
    return "\(percentage) [\(bar)] \(details)"
  }

  /// Returns a line for an output that is not a terminal.
  static func plainLine(_ progress: Transfer.Progress) -> String {
    (progress.fraction.map { percentage($0) + " " } ?? "") + details(progress)
  }

  private static func percentage(_ fraction: Double) -> String {
    // 100 % only at the end.
    String(format: "%3d %%", Int(fraction * 100))
  }

  private static func details(_ progress: Transfer.Progress) -> String {
    var details = size(Double(progress.bytes))
    if let total = progress.total { details += " of \(size(Double(total)))" }
    if progress.bytesPerSecond > 0 { details += "  \(size(progress.bytesPerSecond))/s" }
    if let timeLeft = progress.timeLeft, progress.fraction != 1 {
      details += "  \(time(timeLeft)) left"
    }
    return details
  }

  /// Returns a number of bytes with a decimal unit, such as `12.6 MB`.
  static func size(_ bytes: Double) -> String {
    var value = bytes
    for unit in ["B", "kB", "MB", "GB"] {
      // 999.95 would be rounded to 1000.0.
      if value < 999.95 { return String(format: unit == "B" ? "%.0f %@" : "%.1f %@", value, unit) }
      value /= 1_000
    }
    return String(format: "%.1f TB", value)
  }

  /// Returns a duration as minutes and seconds, or with hours, such as `1:02:03`.
  static func time(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, seconds % 60)
      : String(format: "%d:%02d", minutes, seconds % 60)
  }
}

/// The display of the progress on the standard error: a bar on a terminal, otherwise plain lines.
struct ProgressDisplay {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var lastUpdate: ContinuousClock.Instant?
  /// The number of tenths of the transfer for which there is a plain line.
  private var tenths = 0

  /// Shows the progress, at most ten times a second on a terminal, and elsewhere at each tenth.
  mutating func show(_ progress: Transfer.Progress) {
    guard isTerminal else {
      // Without a total, a line for each power of two MiB.
      let reached =
        progress.fraction.map { Int($0 * 10) }
        ?? (progress.bytes >> 20 > 0
          ? progress.bytes.bitWidth - progress.bytes.leadingZeroBitCount : 0)
      guard reached > tenths else { return }
      tenths = reached
      return Self.write(ProgressBar.plainLine(progress) + "\n")
    }
    let now = ContinuousClock.now
    if let lastUpdate, now - lastUpdate < .milliseconds(100) { return }
    lastUpdate = now
    showBar(progress)
  }

  /// Shows the last progress, and ends the line of the bar.
  func end(_ progress: Transfer.Progress) {
    guard isTerminal, progress.bytes > 0 else { return }
    showBar(progress)
    Self.write("\n")
  }

  private func showBar(_ progress: Transfer.Progress) {
    // Returns to the start of the line, and erases the rest of an older, longer one.
    Self.write("\r\(ProgressBar(width: Self.terminalWidth).line(progress))\u{1B}[K")
  }

  static func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }

  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
