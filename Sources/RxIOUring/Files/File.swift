/// Files as observables.
public enum File {
    /// How much is read at once, unless told otherwise: 128 KiB.
    public static let defaultChunkSize = 128 * 1024
}
