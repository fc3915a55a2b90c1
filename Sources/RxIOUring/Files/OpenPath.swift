import Glibc

extension String {
    /// True if C would take the text for a shorter one.
    var containsNUL: Bool { utf8.contains(0) }
}

/// Opens a file as `open` does, without opening another one if C would cut the path off at a NUL character.
///
/// Such a path fails with `EINVAL`.
func openPath(_ path: String, _ flags: CInt, permissions: UInt32 = 0) -> CInt {
    if path.containsNUL {
        errno = EINVAL
        return -1
    }
    return open(path, flags | O_CLOEXEC, mode_t(permissions))
}
