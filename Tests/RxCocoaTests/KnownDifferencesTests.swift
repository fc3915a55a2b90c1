import RxCocoa
import RxRelay
import RxSwift
import TestSupport
import Testing

extension SharedSequences {
    /// One test per line of KnownDifferences.md that is about this module.
    @Suite struct KnownDifferencesTests {
        @Test func driveAndEmitRunOffTheMainQueue() async {
            let main = MainQueueMark()
            let log = EventLog()
            let relay = BehaviorRelay(value: 1)
            let driver = relay.asDriver()
            let keeper = SerialDisposable()
            let latecomer = SerialDisposable()
            race {
                keeper.disposable = driver.drive(onNext: { log.note("\($0) on the main queue: \(main.isHere)") }
                )
            }
            #expect(await eventually { !log.lines.isEmpty })
            race {
                latecomer.disposable = driver.drive(onNext: { log.note("\($0) at once: \(!main.isHere)") })
                log.note("driven")
            }
            #expect(log.lines == ["1 on the main queue: true", "1 at once: true", "driven"])
            keeper.dispose()
            latecomer.dispose()
        }
    }
}
