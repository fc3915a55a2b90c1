// SPDX-License-Identifier: Apache-2.0

import RxIOUring
import Testing

@Suite struct CPUQuotaTests {
    /// Files as the system has them, by path.
    struct Files: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let files: [String: String]
        let processors: Double?

        init(_ description: String, _ processors: Double?, _ files: [String: String]) {
            (testDescription, self.processors, self.files) = (description, processors, files)
        }
    }

    private static let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    private static let legacy = """
        30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
        31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct

        """

    static let cases = [
        Files("no control groups", nil, [:]),
        Files(
            "no limit", nil,
            [
                "/proc/self/mountinfo": unified, "/proc/self/cgroup": "0::/app\n",
                "/sys/fs/cgroup/app/cpu.max": "max 100000\n",
            ]),
        Files(
            "a limit", 2.5,
            [
                "/proc/self/mountinfo": unified, "/proc/self/cgroup": "0::/app\n",
                "/sys/fs/cgroup/app/cpu.max": "250000 100000\n",
            ]),
        Files(
            "a lower limit of the group above", 0.5,
            [
                "/proc/self/mountinfo": unified, "/proc/self/cgroup": "0::/system/app/part\n",
                "/sys/fs/cgroup/system/app/cpu.max": "250000 100000\n",
                "/sys/fs/cgroup/system/cpu.max": "50000 100000\n",
            ]),
        Files(
            "a container's own root", 1,
            [
                "/proc/self/mountinfo": unified, "/proc/self/cgroup": "0::/\n",
                "/sys/fs/cgroup/cpu.max": "100000 100000\n",
            ]),
        Files(
            "a group outside of the mount", 3,
            [
                "/proc/self/mountinfo": "30 23 0:26 /docker/1 /sys/fs/cgroup rw shared:3 - cgroup2 cgroup2 rw\n",
                "/proc/self/cgroup": "0::/../other\n", "/sys/fs/cgroup/cpu.max": "300000 100000\n",
            ]),
        Files(
            "a mount of a part", 2,
            [
                "/proc/self/mountinfo": "30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                "/proc/self/cgroup": "0::/docker/1/sub\n", "/sys/fs/cgroup/sub/cpu.max": "200000 100000\n",
            ]),
        Files(
            "version 1", 1.5,
            [
                "/proc/self/mountinfo": legacy, "/proc/self/cgroup": "5:memory:/app\n4:cpu,cpuacct:/app\n0::/\n",
                "/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us": "150000\n",
                "/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us": "100000\n",
            ]),
        Files(
            "version 1 without a limit", nil,
            [
                "/proc/self/mountinfo": legacy, "/proc/self/cgroup": "4:cpu,cpuacct:/\n",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            ]),
        Files(
            "nonsense", nil,
            [
                "/proc/self/mountinfo": unified + "x\n- - -\n", "/proc/self/cgroup": "0::/app\nx\n::\n",
                "/sys/fs/cgroup/app/cpu.max": "many few\n",
            ]),
    ]

    @Test("The quota is the lowest limit of the process's control groups", arguments: cases)
    func quota(_ example: Files) {
        #expect(CPUQuota.processors { example.files[$0] } == example.processors)
    }

    @Test(
        "The number of usable processors is at least 1, and not more than there are",
        arguments: [(nil, 4), (0.1, 1), (1, 1), (1.2, 2), (4, 4), (9.5, 4)] as [(Double?, Int)])
    func count(_ quota: Double?, expected: Int) {
        #expect(UsableProcessors.count(of: [0, 2, 4, 6], quota: quota) == expected)
    }
}
