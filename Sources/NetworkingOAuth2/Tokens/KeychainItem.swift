import Foundation

/// An item of the keychain, by the calls of the system for it.
///
/// A change repeats its calls if another process adds or removes the item in between.
struct KeychainItem {
  /// The statuses of calls, with their numbers in Apple's `SecBase.h`.
  enum Status {
    static let success: Int32 = 0
    static let missingEntitlement: Int32 = -34018
    static let interactionNotAllowed: Int32 = -25308
    static let itemNotFound: Int32 = -25300
    static let duplicateItem: Int32 = -25299
  }

  /// The number of times that another process may get in between.
  static let maximumAttempts = 8

  /// The access group, or `nil` for that of the app.
  var accessGroup: String?
  var read: () -> (status: Int32, data: Data?)
  var add: (_ data: Data) -> Int32
  var update: (_ data: Data) -> Int32
  var delete: () -> Int32

  /// Returns the data, or `nil` if there is no item.
  ///
  /// - Throws: ``OAuth2Error`` if it cannot be read.
  func data() throws -> Data? {
    let (status, data) = read()
    if status == Status.itemNotFound { return nil }
    guard status == Status.success, let data else { throw error(status) }
    return data
  }

  /// Stores the data, or removes the item.
  ///
  /// - Parameter data: The data. `nil` removes the item.
  /// - Throws: ``OAuth2Error`` if the keychain cannot be changed.
  func set(_ data: Data?) throws {
    guard let data else {
      let status = delete()
      return try check(status == Status.itemNotFound ? Status.success : status)
    }
    for _ in 0..<Self.maximumAttempts {
      let updated = update(data)
      guard updated == Status.itemNotFound else { return try check(updated) }
      let added = add(data)
      guard added == Status.duplicateItem else { return try check(added) }
    }
    throw error(Status.duplicateItem)
  }

  /// Stores the data if there is no item.
  ///
  /// - Parameter data: The data.
  /// - Returns: The data that was found, or `nil` if `data` has been stored.
  /// - Throws: ``OAuth2Error`` if the keychain can be neither read nor changed.
  func addIfMissing(_ data: Data) throws -> Data? {
    for _ in 0..<Self.maximumAttempts {
      let added = add(data)
      guard added == Status.duplicateItem else {
        try check(added)
        return nil
      }
      if let found = try self.data() { return found }
    }
    throw error(Status.itemNotFound)
  }

  private func check(_ status: Int32) throws {
    if status != Status.success { throw error(status) }
  }

  /// Returns the error of a status.
  func error(_ status: Int32) -> OAuth2Error {
    let text =
      switch status {
      case Status.missingEntitlement:
        "the app lacks the entitlement keychain-access-groups (the capability Keychain Sharing)"
          + (accessGroup.map { " with the access group \($0)" } ?? "")
      case Status.interactionNotAllowed:
        "the keychain is locked: the device has not been unlocked since it started"
      default: "the keychain has failed"
      }
    return OAuth2Error(.storeFailed, "\(text) (\(status))")
  }
}
