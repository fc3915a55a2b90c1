/// Files as observables. They fail when their event loop is shut down: see `IOError.code` before you `retry`.
public enum File {
    /// Bytes per read by default: 128 KiB.
    public static let defaultChunkSize = 128 * 1024
}
