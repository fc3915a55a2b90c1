// SPDX-License-Identifier: Apache-2.0

extension FileOutput {
    /// The places of bytes in a file.
    enum Layout {
        /// Bytes are written behind each other, the next one at `end`.
        case positions(end: Int64)
        /// The system writes at the end of the file, wherever that is.
        case appending
        /// There are no places: a pipe or a device.
        case stream

        var hasPlaces: Bool {
            if case .stream = self { false } else { true }
        }

        var isAppending: Bool {
            if case .appending = self { true } else { false }
        }

        /// The number of writes under way at once. More than two would wait for each other: the system writes to one file at a time.
        var mostUnderWay: Int {
            if case .positions = self { 2 } else { 1 }
        }
    }
}
