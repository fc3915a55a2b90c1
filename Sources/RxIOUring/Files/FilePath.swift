// SPDX-License-Identifier: Apache-2.0

import Glibc

extension File {
    /// The path of a file, as bytes: Linux gives a meaning only to `/` and to the zero byte, which ends a path.
    ///
    /// The functions of `File` that take a path take a `String`, or one of these, which also reaches names that are not valid UTF-8:
    /// bytes from `readdir`, from `CommandLine.unsafeArgv`, or from a file that lists names, separated by zero bytes.
    public struct Path: Hashable, Sendable {
        /// The bytes and a zero byte, as system calls take them.
        let cString: [CChar]

        /// The path whose bytes are the text's, in UTF-8.
        ///
        /// - Parameter text: a path; with a NUL character in it, every use fails with `EINVAL`.
        public init(_ text: String) { cString = Array(text.utf8CString) }

        /// The path of these bytes.
        ///
        /// - Parameter bytes: a path without a closing zero; with a zero byte in it, every use fails with `EINVAL`.
        public init(bytes: some Sequence<UInt8>) {
            cString = bytes.map(CChar.init(bitPattern:)) + [0]
        }

        /// The bytes, without a closing zero.
        public var bytes: [UInt8] { cString.dropLast().map(UInt8.init(bitPattern:)) }
    }
}

extension File.Path {
    /// The path from the root, for a later use of a relative one: the working directory may change. Itself if the directory has no path.
    var absolute: File.Path {
        guard let first = bytes.first, first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return self }
        defer { free(directory) }
        let prefix = UnsafeBufferPointer(start: directory, count: strlen(directory)).map(UInt8.init(bitPattern:))
        return File.Path(bytes: prefix + [UInt8(ascii: "/")] + bytes)
    }
}

extension File.Path {
    /// The absolute path without doubled slashes and `.`, so that different spellings are equal. Looks at no file: links stay, and with them `..`.
    var normalized: File.Path {
        let names = absolute.bytes.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
        return File.Path(bytes: names.flatMap { [UInt8(ascii: "/")] + $0 })
    }
}

extension File.Path: CustomStringConvertible {
    /// The path as text. If it is not valid UTF-8, all bytes that are not printable ASCII stand as `\xE9` and the like, a backslash as `\\`.
    public var description: String {
        let bytes = bytes
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

extension File.Path {
    var isEmpty: Bool { cString.count == 1 }

    /// True if C would take the path for a shorter one.
    var containsNUL: Bool { cString.dropLast().contains(0) }

    /// The directory, the part of the path up to the name, and the name.
    var splitAtLastSlash: (directory: File.Path, prefix: File.Path, name: File.Path) {
        let bytes = bytes
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            return (File.Path("."), File.Path(""), self)
        }
        let directory = slash == 0 ? bytes[...slash] : bytes[..<slash]
        return (File.Path(bytes: directory), File.Path(bytes: bytes[...slash]), File.Path(bytes: bytes[(slash + 1)...]))
    }
}

extension String {
    /// True if C would take the text for a shorter one.
    var containsNUL: Bool { utf8.contains(0) }
}
