// expect: 'init(_:)' is unavailable: use JSON(parsing: data), or a literal with .string(text)
import Networking

func json(_ values: [String: Any]) -> JSON { JSON(values) }
