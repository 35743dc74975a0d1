// The part of Dispatch that exists on Apple platforms only, after developer.apple.com/documentation/dispatch.
import Dispatch

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol, Sendable {
  var handle: Int32 { get }
  var data: DispatchSource.FileSystemEvent { get }
  var mask: DispatchSource.FileSystemEvent { get }
}
extension DispatchSource {
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError() }
}

public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol, Sendable {
  var data: DispatchSource.MemoryPressureEvent { get }
  var mask: DispatchSource.MemoryPressureEvent { get }
}
extension DispatchSource {
  public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal = MemoryPressureEvent(rawValue: 1)
    public static let warning = MemoryPressureEvent(rawValue: 2)
    public static let critical = MemoryPressureEvent(rawValue: 4)
    public static let all = MemoryPressureEvent(rawValue: 7)
  }
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure { fatalError() }
}
