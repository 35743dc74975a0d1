// The part of Security that the sources use, after developer.apple.com/documentation/security. Core Foundation's types stand
// for what they are bridged to, as there is no bridging here.
import Foundation

public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = AnyObject
public typealias CFDictionary = AnyObject
public typealias OSStatus = Int32
public final class CFError: Error { init() {} }
public final class SecTrust { init() {} }
public final class SecCertificate { init() {} }
public final class SecKey { init() {} }
public final class SecPolicy { init() {} }
public final class SecIdentity { init() {} }

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?)
  -> Bool
{ false }
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping (SecTrust, Bool, CFError?) -> Void
) -> OSStatus { 0 }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
@discardableResult public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?)
  -> OSStatus
{ 0 }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool)
  -> OSStatus
{ 0 }
@discardableResult public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: AnyObject)
  -> OSStatus
{ 0 }
public func SecPolicyCreateSSL(_ server: Bool, _ host: CFString?) -> SecPolicy { fatalError() }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { nil }
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate?
{ nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { CFData() }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { nil }
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? { nil }
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeySizeInBits: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = ""
