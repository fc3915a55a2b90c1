// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The stack of a thread, in words.
package struct ThreadStack {
    /// The frames, innermost first. Empty if there is no stack.
    var frames: [String] = []
    /// The reason for which there is no stack.
    var note: String?
    /// The innermost function that belongs neither to the library nor to the system.
    var function: String?

    init(note: String) { self.note = note }

    init(_ addresses: [UnsafeMutableRawPointer?]) {
        for (place, address) in addresses.enumerated() {
            guard let address else { continue }
            // All but the innermost are return addresses: the call is before.
            let symbol = rx_symbol_at(place == 0 ? address : address - 1)
            defer { free(symbol.readable) }
            guard let path = symbol.image.map({ String(cString: $0) }) else {
                frames.append("0x" + String(UInt(bitPattern: address), radix: 16))
                continue
            }
            let offset = path + "+0x" + String(symbol.offset, radix: 16)
            let mangled = symbol.name.map { String(cString: $0) }
            guard let name = symbol.readable.map({ String(cString: $0) }) ?? mangled, let mangled else {
                frames.append(offset)
                continue
            }
            frames.append("\(name) (\(offset))")
            if function == nil, ThreadStack.isOfUser(mangled, path) { function = name }
        }
        if frames.isEmpty { note = "the thread's stack cannot be read" }
    }

    private static let systemImages = [
        "libc.", "libc-", "libpthread", "libgcc", "libswift", "libdispatch", "libFoundation", "lib_Foundation", "ld-",
        "linux-vdso",
    ]
    private static let ownModules = [
        "RxPrimitives", "RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxBlocking", "RxIOUring",
    ]

    /// Indicates whether a function is neither the library's nor the system's, by its mangled name and the path of its image.
    package static func isOfUser(_ mangled: String, _ path: String) -> Bool {
        let image = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        if systemImages.contains(where: image.hasPrefix) { return false }
        guard mangled.hasPrefix("$s") else {
            return !mangled.hasPrefix("rx_") && !mangled.hasPrefix("swift_") && !mangled.hasPrefix("_swift")
        }
        let name = mangled.dropFirst(2)
        // Names of the standard library, and of thunks between representations, begin with a letter.
        if name.first?.isNumber != true { return false }
        return !ownModules.contains { name.hasPrefix("\($0.utf8.count)\($0)") }
    }
}
