// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The scheduler that a test has put in place of the main scheduler, for code that runs in its task.
package struct MainReplacement: Sendable {
    /// The value of `MainScheduler.instance` meanwhile.
    let instance: MainScheduler

    package init(by scheduler: any SchedulerType) {
        instance = MainScheduler(replacement: SchedulerReplacement(scheduler))
        MainReplacement.isUsed.storeRelaxed(1)
    }

    @TaskLocal package static var inTask: MainReplacement?

    /// 1 once a replacement was made, so that programs without one do not look for it.
    private static let isUsed = AtomicWord(0)

    static var current: MainReplacement? { isUsed.loadRelaxed() == 0 ? nil : inTask }
}
