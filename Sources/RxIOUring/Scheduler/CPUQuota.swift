// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processor time that the control groups of this process grant it.
package enum CPUQuota {
    /// The number of processors, such as 2.5; nil if there is no limit.
    static var ofThisProcess: Double? { processors(contents) }

    /// The limit that files like those of `/proc` and `/sys/fs/cgroup` tell.
    ///
    /// Each group above that of the process limits it, too: the lowest limit holds.
    /// - Parameter contents: returns the contents of a file, or nil.
    package static func processors(_ contents: (_ path: String) -> String?) -> Double? {
        guard let groups = contents("/proc/self/cgroup"), let mounts = contents("/proc/self/mountinfo") else {
            return nil
        }
        var lowest: Double?
        for mount in lines(of: mounts).compactMap(Mount.init) {
            guard let group = lines(of: groups).compactMap({ mount.path(ofGroup: $0) }).first else { continue }
            var folder = group
            while true {
                if let limit = mount.isUnified ? unified(folder, contents) : legacy(folder, contents) {
                    lowest = min(lowest ?? limit, limit)
                }
                guard folder.utf8.count > mount.point.utf8.count, let slash = folder.lastIndex(of: "/") else { break }
                folder = String(folder[..<slash])
            }
        }
        return lowest
    }

    private static func lines(of text: String) -> [Substring] { text.split(separator: "\n") }

    /// Reads `cpu.max`: microseconds, or `max`, in a period of microseconds.
    private static func unified(_ folder: String, _ contents: (String) -> String?) -> Double? {
        guard let words = contents(folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace), words.count == 2 else {
            return nil
        }
        return ratio(words[0], words[1])
    }

    /// Reads the files of control groups before version 2. Without a limit there is -1 in the first.
    private static func legacy(_ folder: String, _ contents: (String) -> String?) -> Double? {
        guard let quota = contents(folder + "/cpu.cfs_quota_us"), let period = contents(folder + "/cpu.cfs_period_us")
        else { return nil }
        return ratio(quota.filter { !$0.isWhitespace }[...], period.filter { !$0.isWhitespace }[...])
    }

    private static func ratio(_ quota: Substring, _ period: Substring) -> Double? {
        guard let quota = Double(quota), let period = Double(period), quota > 0, period > 0 else { return nil }
        return quota / period
    }

    /// The contents of a file in `/proc` or `/sys`, whose size is not known before it was read.
    private static func contents(_ path: String) -> String? {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        if fd < 0 { return nil }
        defer { close(fd) }
        var bytes: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            while true {
                let count = read(fd, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return nil }
                if count == 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// A line of `/proc/self/mountinfo` about control groups that limit processor time.
    private struct Mount {
        let point: String
        let isUnified: Bool
        /// The group that is mounted there.
        private let root: String

        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash >= 5, fields.count > dash + 3 else { return nil }
            switch fields[dash + 1] {
            case "cgroup2": isUnified = true
            case "cgroup" where fields[dash + 3].split(separator: ",").contains("cpu"): isUnified = false
            default: return nil
            }
            (root, point) = (String(fields[3]), String(fields[4]))
        }

        /// The folder of a group, which a line of `/proc/self/cgroup` tells; nil if the line is about groups of another mount.
        ///
        /// A group that lies outside of the mount, as that of a container may, is taken for the group that is mounted.
        func path(ofGroup line: Substring) -> String? {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            if isUnified != (fields[0] == "0" && fields[1].isEmpty) { return nil }
            if !isUnified, !fields[1].split(separator: ",").contains("cpu") { return nil }
            let above = root == "/" ? "" : root
            let group = fields[2] == "/" ? "" : String(fields[2])
            guard group.hasPrefix(above), !group.contains("/..") else { return point }
            let below = group.dropFirst(above.count)
            return below.isEmpty || below.hasPrefix("/") ? point + below : point
        }
    }
}
