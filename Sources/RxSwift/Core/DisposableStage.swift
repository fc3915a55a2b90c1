// SPDX-License-Identifier: Apache-2.0

/// The upper end of a chain whose source is ended by a user's disposable.
package final class DisposableStage: Stage {
    private let disposable: any Disposable

    package init(_ disposable: any Disposable) {
        self.disposable = disposable
        super.init()
    }

    package override func quiesce() -> UInt { 0 }

    package override func cancel() {
        if takeUpstream() != nil { disposable.dispose() }
    }
}
