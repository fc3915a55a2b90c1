// SPDX-License-Identifier: Apache-2.0

import PipelineModel
import RxSwift
import RxTest

extension Session {
    func buildTimed(_ node: Node, _ environment: Environment) -> Ints {
        let (id, numbers, log) = (node.id, node.numbers, log)
        func span(_ index: Int = 0) -> RxTimeInterval { .seconds(numbers[index]) }
        switch node.op {
        case .timer: return Ints.timer(span(), scheduler: timing)
        case .interval: return Ints.timer(span(), period: span(1), scheduler: timing)
        case .cold: return returning(scheduler.createColdObservable(recorded(numbers)).asObservable())
        case .hot: return returning(scheduler.createHotObservable(recorded(numbers)).asObservable())
        case .justOn: return .just(numbers[0], scheduler: timing)
        case .ofOn: return .from(numbers, scheduler: timing)
        default: break
        }
        let source = build(node.children[0], environment)
        switch node.op {
        case .delay: return source.delay(span(), scheduler: timing)
        case .delaySubscription: return source.delaySubscription(span(), scheduler: timing)
        case .debounce: return source.debounce(span(), scheduler: timing)
        case .throttle: return source.throttle(span(), latest: numbers[1] == 1, scheduler: timing)
        case .timeout: return source.timeout(span(), scheduler: timing)
        case .timeoutOther:
            return source.timeout(span(), other: build(node.children[1], environment), scheduler: timing)
        case .buffer:
            return source.buffer(timeSpan: span(), count: numbers[1], scheduler: timing).map {
                log.add(id, "f", $0.count)
                return mixed($0)
            }
        case .window:
            let windows = source.window(timeSpan: span(), count: numbers[1], scheduler: timing).map { window in
                log.add(id, "m")
                var environment = environment
                environment.it = window
                return self.build(node.children[1], environment)
            }
            return flattened(windows, numbers[2])
        case .takeFor: return source.take(for: span(), scheduler: timing)
        case .skipFor: return source.skip(span(), scheduler: timing)
        default: fatalError("\(node.op) has nothing to do with time")
        }
    }

    /// Returns the recorded events for pairs of the time since the event before, and the event.
    private func recorded(_ numbers: [Int]) -> [Recorded<Event<Int>>] {
        var time = 0
        return stride(from: 0, to: numbers.count - 1, by: 2).map { index in
            time += max(1, numbers[index])
            switch numbers[index + 1] {
            case -1: return .completed(time)
            case -2: return .error(time, Failure(code: 5))
            default: return .next(time, numbers[index + 1])
            }
        }
    }
}
