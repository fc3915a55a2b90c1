// SPDX-License-Identifier: Apache-2.0

import Glibc
import RxIOUring
import RxSwift
import TestSupport
import Testing

@Suite struct SocketAddressTests {
    @Test("An address is described in its usual form")
    func description() throws {
        #expect(try SocketAddress(ipv4: "127.0.0.1", port: 80).description == "127.0.0.1:80")
        #expect(try SocketAddress(ipv6: "::1", port: 80).description == "[::1]:80")
        #expect(try SocketAddress(ip: "fe80::1%3", port: 1).description == "[fe80::1%3]:1")
        #expect(try SocketAddress(unixPath: "/a/b").description == "unix:/a/b")
        #expect(try SocketAddress(abstractUnixName: "name").description == "unix:@name")
    }

    @Test("An address knows its host and its port")
    func hostAndPort() throws {
        #expect(try SocketAddress(ip: "2001:db8::ff00:42:8329", port: 65_535).host == "2001:db8::ff00:42:8329")
        #expect(try SocketAddress(ipv4: "1.2.3.4", port: 5).port == 5)
    }

    @Test("An address that is malformed, out of range or too long is an error")
    func malformed() {
        #expect(throws: IOError.self) { try SocketAddress(ipv4: "1.2.3", port: 80) }
        #expect(throws: IOError.self) { try SocketAddress(ipv4: "1.2.3.4", port: 65_536) }
        let long = String(repeating: "x", count: 108)
        #expect(throws: IOError(code: ENAMETOOLONG, operation: "address", subject: "unix:" + long)) {
            try SocketAddress(unixPath: long)
        }
        #expect(throws: IOError(code: ENAMETOOLONG, operation: "address", subject: "unix:@" + long)) {
            try SocketAddress(abstractUnixName: long)
        }
    }

    @Test(
        "Addresses that stand for one place are equal",
        arguments: [
            ("::ffff:1.2.3.4", "1.2.3.4", true), ("::ffff:1.2.3.4%1", "1.2.3.4", true), ("::1.2.3.4", "1.2.3.4", false),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.5", false), ("::1%1", "::1", true),
            ("2001:db8::1%1", "2001:db8::1%2", true),
            ("fe80::1%1", "fe80::1%2", false), ("fe80::1%1", "fe80::1", false), ("fe80::1%lo", "fe80::1%1", true),
            ("ff02::1%1", "ff02::1%2", false), ("ff0e::1%1", "ff0e::1%2", true), ("0:0::1", "::1", true),
        ])
    func equality(_ one: String, _ other: String, areEqual: Bool) throws {
        let (one, other) = (try SocketAddress(ip: one, port: 80), try SocketAddress(ip: other, port: 80))
        #expect((one == other) == areEqual)
        #expect(Set([one, other]).count == (areEqual ? 1 : 2))
        #expect(one != (try SocketAddress(ip: "::1", port: 81)))
    }

    @Test("The addresses of a name come on the loop", arguments: Backend.built)
    func resolved(_ backend: Backend) throws {
        leavingNothingBehind {
            let scheduler = IOUringScheduler(backend: backend)
            let found = Guarded<[SocketAddress]>([])
            let isOnLoop = Guarded(false)
            let subscription = SocketAddress.resolve(host: "localhost", port: 80, scheduler: scheduler).subscribe(
                onSuccess: {
                    isOnLoop.value = scheduler.isCurrent
                    found.value = $0
                })
            #expect(waitUntil { !found.value.isEmpty })
            #expect(isOnLoop.value)
            #expect(found.value.contains { $0.description == "127.0.0.1:80" || $0.description == "[::1]:80" })
            subscription.dispose()
            scheduler.shutdown()
        }
    }
}
