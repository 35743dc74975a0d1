import Foundation

extension Mock {
  /// An answer's body.
  public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes, sent with their length.
    case data(Data)
    /// Pieces, sent in the chunked coding one chunk each; empty ones are left out.
    case chunks([Data])
    /// So many bytes, sent with their length and made as they are sent, so that they take no memory.
    ///
    /// The closure gets the range of the bytes wanted and returns them; on a socket it runs on the thread
    /// that serves all connections. Bytes too many are cut off; too few break the connection off.
    case generated(byteCount: Int, @Sendable (_ range: Range<Int>) -> Data)
    /// What is in a file, read each time it is answered.
    case file(MockFile)
  }
}
