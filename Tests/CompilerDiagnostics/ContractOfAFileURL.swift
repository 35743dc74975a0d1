// expect: 'init(file:assertsFormats:)' has been renamed to 'init(contentsOf:assertsFormats:isStrict:)'
import Foundation
import MockingContracts

func contract(_ url: URL) throws -> Contract { try Contract(file: url) }
