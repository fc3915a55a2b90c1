// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import Testing

@Suite struct ThreadStackTests {
    @Test(
        "Functions of the library and of the system are not the program's",
        arguments: [
            ("$s9RxIOUring9EventLoopC3run33_4CLLyyF", "/opt/server"), ("$s7RxSwift8RunQueueC", "/opt/server"),
            ("rx_epoll_wait", "/opt/server"), ("swift_retain", "/opt/server"), ("$sSS", "/opt/server"),
            ("$sIeg_ytIegr_TR", "/opt/server"), ("clock_nanosleep", "/lib/x86_64-linux-gnu/libc.so.6"),
            ("$s8Dispatch0A5QueueC", "/usr/lib/swift/linux/libswiftDispatch.so"),
        ])
    func library(_ mangled: String, _ image: String) { #expect(!ThreadStack.isOfUser(mangled, image)) }

    @Test(
        "Other functions are the program's",
        arguments: [
            ("$s6Server6handleyyF", "/opt/server"), ("$s16RxSwiftExtensionA", "server"),
            ("resize_image", "/opt/libimage.so"),
        ])
    func program(_ mangled: String, _ image: String) { #expect(ThreadStack.isOfUser(mangled, image)) }
}
