// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift
import TestSupport
import Testing

@Suite struct RelayInfallibleTests {
    @Test("Each relay converts to an Infallible") func asInfallible() {
        let behavior = BehaviorRelay(value: 0)
        let publish = PublishRelay<Int>()
        let replay = ReplayRelay<Int>.create(bufferSize: 2)
        for number in 1...3 { replay.accept(number) }
        let log = EventLog()
        let bag = DisposeBag()
        behavior.asInfallible().subscribe(onNext: { log.note("b\($0)") }).disposed(by: bag)
        publish.asInfallible().subscribe(onNext: { log.note("p\($0)") }).disposed(by: bag)
        replay.asInfallible().subscribe(onNext: { log.note("r\($0)") }).disposed(by: bag)
        behavior.accept(4)
        publish.accept(5)
        replay.accept(6)
        #expect(log.text == "b0 r2 r3 b4 p5 r6")
    }
}
