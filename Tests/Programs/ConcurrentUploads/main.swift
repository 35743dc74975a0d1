import Foundation
import Networking
import ProgramSupport

// Sends many uploads at once.
//
//   concurrent-uploads URL AUTHORITY COUNT SIZE [CONCURRENCY] [PROTOCOL]
//
// AUTHORITY is the file of the certificate authority. CONCURRENCY is the maximum number of uploads at the same time, by
// default all. PROTOCOL is `http2` if bodies may be sent over HTTP/2, or `http1`.
//
// Prints one line of JSON: the number of exchanges for each outcome, which is a status with the size of its body or the
// code of a failure; the versions of HTTP; the number of connections; the microseconds of this program's processor time
// and of elapsed time for each exchange.

#if os(Linux)
  struct Report: Encodable {
    var outcomes: [String: Int] = [:]
    var versions: [String: Int] = [:]
    var connections = 0
    var processor = 0
    var elapsed = 0
  }

  func processorTime() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
      + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
  }

  let arguments = CommandLine.arguments
  guard arguments.count >= 5, let url = URL(string: arguments[1]), let count = Int(arguments[3]),
    let size = Int(arguments[4])
  else {
    print("usage: concurrent-uploads URL AUTHORITY COUNT SIZE [CONCURRENCY] [PROTOCOL]")
    exit(2)
  }
  let concurrency = arguments.count > 5 ? Int(arguments[5]) ?? count : count
  var options = CurlTransport.Options(proxy: .none)
  options.tls = try TLSOptions(
    trust: .all(.authorities(.file(URL(fileURLWithPath: arguments[2])))))
  if arguments.count > 6 { options.allowsHTTP2 = arguments[6] == "http2" }
  let transport = CurlTransport(options: options)
  let request = HTTPRequest(
    method: .post, url: url, body: .data(Data(repeating: 0x62, count: size)),
    idleTimeout: .seconds(30))

  let (start, processor) = (ContinuousClock.now, processorTime())
  let report = await withTaskGroup(of: ExchangeRecord.self) { group in
    var (report, started) = (Report(), 0)
    while started < min(concurrency, count) {
      group.addTask { await transport.perform(request) }
      started += 1
    }
    for await record in group {
      let status = record.head.map { "\($0.status) with \(record.body.count) bytes" } ?? "no head"
      let outcome = record.failure.map { "\($0.code) after \(status)" } ?? status
      report.outcomes[outcome, default: 0] += 1
      report.versions[record.head?.version ?? "none", default: 0] += 1
      if record.metrics?.reusedConnection == false { report.connections += 1 }
      guard started < count else { continue }
      group.addTask { await transport.perform(request) }
      started += 1
    }
    return report
  }
  var result = report
  result.processor = (processorTime() - processor) / count
  result.elapsed = Int((ContinuousClock.now - start) / .microseconds(1)) / count
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  print(String(decoding: try encoder.encode(result), as: UTF8.self))
#endif
