// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The standard streams of a program.
public enum Console {
    /// Makes each line of the output appear at once, also where it is a file or a pipe.
    public static func bufferLines() { setvbuf(stdout, nil, _IOLBF, 0) }

    /// Writes a line to standard error. May be called from any thread.
    public static func report(_ line: String) { fputs("\(line)\n", stderr) }
}
