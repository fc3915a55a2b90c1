import Glibc

extension String {
    /// Whether C would take it for a shorter text.
    var containsNUL: Bool { utf8.contains(0) }
}

/// Opens a file as `open` does, but for a path that C would cut off at a NUL character: that fails with `EINVAL`, and no other file is opened.
func openPath(_ path: String, _ flags: CInt, permissions: UInt32 = 0) -> CInt {
    if path.containsNUL {
        errno = EINVAL
        return -1
    }
    return open(path, flags | O_CLOEXEC, mode_t(permissions))
}
