public import Foundation
import Networking

/// A form in which a trace is written to a file.
public enum TraceFormat: Sendable, Hashable, CaseIterable {
  /// A table with bars, for terminals: ``TraceRecord/waterfall``.
  case text
  /// An HTML page without further files.
  case html
  /// The JSON of Chrome's trace viewer, which Perfetto opens.
  ///
  /// Source: Trace Event Format, "JSON Object Format".
  case chromeTrace
  /// The JSON of OpenTelemetry: an `ExportTraceServiceRequest`.
  ///
  /// Source: OpenTelemetry Protocol 1.5, "JSON Protobuf Encoding".
  case otlp
}

extension TraceRecord {
  /// Returns the trace in a form.
  ///
  /// Secrets are masked in all forms. The same record has the same bytes.
  ///
  /// - Parameter format: The form.
  /// - Returns: The text in UTF-8.
  /// - Throws: ``ParameterEncodingError``, which no record is known to cause.
  public func data(as format: TraceFormat) throws -> Data {
    let trace = CheckedTrace(self)
    switch format {
    case .text: return Data(WaterfallText(trace, WaterfallStyle()).text.utf8)
    case .html: return try TracePage(trace).data()
    case .chromeTrace: return try ChromeTrace(trace).json.data()
    case .otlp: return try OTLPTrace(trace).json.data()
    }
  }

  /// Writes the trace to a file, which replaces an existing one.
  ///
  /// It blocks the thread until the file is written.
  ///
  /// ```swift
  /// try record.write(to: page, as: .html)
  /// ```
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - format: The form.
  /// - Throws: The error of the file system.
  public func write(to file: URL, as format: TraceFormat) throws {
    try data(as: format).write(to: file, options: .atomic)
  }
}
