// SPDX-License-Identifier: Apache-2.0

/// Files as observables. They fail when their event loop is shut down: see `IOError.code` before you `retry`.
///
/// Paths are texts in UTF-8. A file whose name is not valid UTF-8 is reached by `/proc/self/fd/N`, where N is a descriptor with which the
/// program has opened it, or by `DescriptorStream`.
public enum File {
    /// Bytes per read by default: 128 KiB.
    public static let defaultChunkSize = 128 * 1024
}
