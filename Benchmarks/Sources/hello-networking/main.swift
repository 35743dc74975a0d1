import Foundation
import Networking

// The first response of a program that has just begun.
let url = CommandLine.arguments.dropFirst().first ?? ""
let response = try await Networking.shared.request(.get("\(raw: url)")).validate().value
print(response.data.count)
