import Testing

@testable import Networking

struct SetCookieValuesTests {
  @Test(arguments: [
    ["a=1"], ["a=1; Path=/", "b=2"], [""], ["a=", "b="], ["no equals sign"],
    ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; Max-Age=3"],
    ["a=1; expires=Wed, 21-Oct-26 07:28:00 GMT", "__Host-b=x=y; Secure", "c=3"],
  ])
  func whatWasJoinedIsTakenApart(_ values: [String]) {
    #expect(SetCookieValues.split(values.joined(separator: ", ")) == values)
    #expect(SetCookieValues.split(values.joined(separator: ",")) == values)
  }
}
