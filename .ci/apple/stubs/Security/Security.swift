// The part of Security that the sources use, after developer.apple.com/documentation/security. Core Foundation's types stand
// for what they are bridged to, as there is no bridging here.
import Foundation

public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = AnyObject
public typealias CFDictionary = AnyObject
public typealias OSStatus = Int32
public final class CFError: Error { init() {} }
public func CFErrorGetCode(_ err: CFError) -> Int { 0 }
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

// Core Foundation.
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }

// Keychain items and identities.
public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let errSecDuplicateItem: OSStatus = -25299
public let errSecAuthFailed: OSStatus = -25293
public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecClassIdentity: CFString = ""
public let kSecAttrLabel: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecUseDataProtectionKeychain: CFString = ""
public let kSecValueData: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecReturnRef: CFString = ""
public let kSecMatchLimit: CFString = ""
public let kSecMatchLimitOne: CFString = ""
public let kSecImportExportPassphrase: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public let kSecImportToMemoryOnly: CFString = ""
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
  -> OSStatus
{ 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
  -> OSStatus
{ 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  0
}
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { 0 }
@discardableResult public func SecIdentityCopyCertificate(
  _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus { 0 }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }
public typealias CFDate = Date
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? { nil }
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? { nil }
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? { nil }
