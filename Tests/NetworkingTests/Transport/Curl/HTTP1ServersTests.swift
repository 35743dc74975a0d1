import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

#if os(Linux)
  @Suite(.gated)
  struct HTTP1ServersTests {
    @Test func onlyURLsOfAddedServersMatch() throws {
      let servers = OriginCache()
      #expect(try !servers.contains(url("https://a.example/")))
      servers.add(try origin("https://a.example/"))
      #expect(try servers.contains(url("https://a.example/v1/boards?page=1")))
      #expect(try servers.contains(url("https://a.example")))
      #expect(try servers.contains(url("HTTPS://A.example:443?page=1")))
      #expect(try !servers.contains(url("https://a.example.net/")))
      #expect(try !servers.contains(url("https://a.example:8443/")))
      #expect(try !servers.contains(url("http://a.example/")))
    }

    @Test func aRemovedServerDoesNotMatch() throws {
      let servers = OriginCache()
      servers.add(try origin("https://a.example/"))
      servers.add(try origin("https://b.example/"))
      servers.remove(try origin("https://a.example/"))
      servers.remove(try origin("https://c.example/"))
      #expect(try !servers.contains(url("https://a.example/")))
      #expect(try servers.contains(url("https://b.example/")))
    }

    @Test(arguments: [
      ("http://a.example/", false), ("HTTP://a.example/https:", false),
      ("https://a.example/", true), ("HttpS://a.example/", true),
    ])
    func theSchemeDeterminesWhetherARequestIsSecure(_ url: String, _ isSecure: Bool) throws {
      #expect(HTTPRequest(url: try #require(URL(string: url))).isSecure == isSecure)
    }

    @Test func theOldestServerIsEvicted() throws {
      let servers = OriginCache()
      for number in 0..<100 { servers.add(try origin("https://a\(number).example/")) }
      servers.add(try origin("https://a99.example/"))
      let known = try (0..<100).filter { try servers.contains(url("https://a\($0).example/")) }
      #expect(known == Array(68..<100))
    }

    /// The I/O thread of a pool that has delivered a response need not be woken.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
    func aRequestOfAResponseHandlerStaysOnItsThread() async throws {
      let (pool, otherPool) = (CurlLoopPool(.init()), CurlLoopPool(.init()))
      let request = HTTPRequest(url: try url("http://a.example/"))
      let first = pool.commandQueue(for: request)
      for _ in 1..<4 { #expect(pool.commandQueue(for: request) === first) }
      let second = pool.commandQueue(for: request)
      #expect(second !== first)
      let staysOnFirst = Log<Bool>()
      await onThreads(1) { _ in
        // It may have up to four exchanges more than the other thread, which has one.
        first.setCurrent()
        for _ in 0..<3 { staysOnFirst.append(pool.commandQueue(for: request) === first) }
        otherPool.commandQueue(for: request).setCurrent()
        staysOnFirst.append(pool.commandQueue(for: request) === first)
      }
      #expect(staysOnFirst.entries == [true, true, false, false])
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func origin(_ text: String) throws -> Origin {
      try #require(URL(string: text).flatMap { Origin($0) })
    }
  }
#endif
