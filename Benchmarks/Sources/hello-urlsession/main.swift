import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The first response of a program that has just begun.
guard let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") else { exit(2) }
let (data, _) = try await URLSession.shared.data(from: url)
print(data.count)
