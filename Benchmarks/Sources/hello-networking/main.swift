import Foundation
import Networking

// A minimal program with one request; the harness measures its run time.
let url = CommandLine.arguments.dropFirst().first ?? ""
let response = try await Networking.shared.request(.get("\(raw: url)")).validate().value
print(response.data.count)
