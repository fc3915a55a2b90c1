// SPDX-License-Identifier: Apache-2.0

/// Files as observables. They fail when their event loop is shut down: see `IOError.code` before you `retry`.
///
/// A path is a text, or a `File.Path` for names that are not valid UTF-8.
public enum File {
    /// Bytes per read by default: 128 KiB.
    public static let defaultChunkSize = 128 * 1024
}
