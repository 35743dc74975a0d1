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
