/// Files as observables. They fail when their event loop is shut down: see `IOError.code` before you `retry`.
public enum File {
    /// How much is read at once, unless told otherwise: 128 KiB.
    public static let defaultChunkSize = 128 * 1024
}
