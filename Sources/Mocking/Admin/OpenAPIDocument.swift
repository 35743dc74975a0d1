import Foundation

enum OpenAPIDocument { static let data = Data() }
