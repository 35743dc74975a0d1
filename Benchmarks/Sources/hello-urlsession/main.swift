import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// A minimal program with one request; the harness measures its run time.
guard let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") else { exit(2) }
let (data, _) = try await URLSession.shared.data(from: url)
print(data.count)
