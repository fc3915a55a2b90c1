// SPDX-License-Identifier: Apache-2.0

/// An operator of the fuzzer's programs. The raw value is its name in their text.
public enum Operator: String, CaseIterable, Sendable {
    // Operators that a program uses as sources.
    case of, from, range, just, empty, never, error, create, generate, repeatElement, element, it, ref, optional
    case deferred, using, flaky, single, maybe, completable
    // Operators that transform one source.
    case map, filter, compactMap, enumerated, scan, reduce, toArray, take, takeLast, takeWhile, takeUntilPredicate,
        skip,
        skipWhile, elementAt, only, onlyWhere, first, distinct, ignoreElements, startWith, ifEmptyDefault, materialize,
        roundTrip, catchAndReturn, retry, doEvents, probe, asSingle, asMaybe, asInfallible, observeOn, subscribeOn
    // Operators that share one source among subscribers.
    case share, publish, replay, multicast, multicastSelector
    // Operators that combine the events of several sources.
    case merge, concat, concatWith, combineLatest, zip, amb, withLatestFrom, takeUntil, skipUntil, sample,
        ifEmptySwitch,
        catchSequence, andThen
    // Operators with a closure that returns a pipeline.
    case flatMap, flatMapLatest, flatMapFirst, concatMap, mergeLimit, mergeMap, concatAll, switchLatest, catchError,
        retryWhen, groupBy
    // Subjects, relays and connectable pipelines, which only shared definitions use.
    case publishSubject, behaviorSubject, replaySubject, asyncSubject, publishRelay, behaviorRelay, replayRelay
    case connectable
    // Operators that act from inside of their callbacks.
    case react
    // Operators of programs that run in virtual time.
    case timer, interval, cold, hot, delay, delaySubscription, debounce, throttle, timeout, timeoutOther, buffer,
        window,
        takeFor, skipFor, justOn, ofOn
}

/// The numbers, sources and closure of an operator, and its use.
public struct Shape: Sendable {
    /// The programs that may contain the operator.
    public enum Use: Sendable {
        case everywhere
        case virtualTime
        case callbacks
        case sharedOnly
    }

    /// The argument of the operator's closure that returns a pipeline: the last child is that pipeline.
    public enum Argument: Sendable {
        case none
        case element
        case observable
    }

    /// The range of each number.
    public var numbers: [ClosedRange<Int>]
    /// More numbers after `numbers`: the range of their count and of each.
    public var list: (count: ClosedRange<Int>, each: ClosedRange<Int>)?
    /// The range of the number of sources.
    public var sources: ClosedRange<Int>
    public var closure: Argument
    public var use: Use
    /// The weight with which the operator is generated, compared to the others of its group.
    public var weight: Int

    init(
        _ numbers: [ClosedRange<Int>] = [], list: (count: ClosedRange<Int>, each: ClosedRange<Int>)? = nil,
        sources: ClosedRange<Int> = 1...1, closure: Argument = .none, use: Use = .everywhere, weight: Int = 4
    ) {
        self.numbers = numbers
        self.list = list
        self.sources = sources
        self.closure = closure
        self.use = use
        self.weight = weight
    }
}

extension Operator {
    public var shape: Shape { Self.shapes[self]! }

    private static let shapes = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeShape()) })

    /// The rule of a throwing closure: 0 for never, else it throws for elements whose remainder by 4 is one less.
    private static let throwing = 0...4
    private static let predicate = 0...4

    private func makeShape() -> Shape {
        switch self {
        case .of, .from: Shape(list: (0...4, 0...9), sources: 0...0, weight: 8)
        case .range: Shape([0...5, 0...4], sources: 0...0)
        case .just: Shape([0...9], sources: 0...0)
        case .optional: Shape([0...1], sources: 0...0, weight: 1)
        case .empty: Shape(sources: 0...0, weight: 2)
        case .never: Shape(sources: 0...0, weight: 1)
        case .error: Shape([1...3], sources: 0...0, weight: 2)
        // Each number is an element, or -1 for completed and -2 for an error.
        case .create: Shape(list: (0...5, -2...9), sources: 0...0, weight: 8)
        // First element, number of elements, rule for throwing closures.
        case .generate: Shape([0...3, 0...4, Self.throwing], sources: 0...0)
        case .repeatElement: Shape([0...9], sources: 0...0, weight: 1)
        case .element: Shape([0...0], sources: 0...0, weight: 0)
        case .it: Shape(sources: 0...0, weight: 0)
        case .ref: Shape([0...3], sources: 0...0, weight: 0)
        case .deferred: Shape([0...1], sources: 1...1, weight: 4)
        case .using: Shape([0...2], sources: 1...1, weight: 2)
        // The number of first subscriptions that fail.
        case .flaky: Shape([1...3], sources: 1...1, weight: 3)
        // Success or failure; then 1 if the closure calls its observer twice.
        case .single: Shape([0...1, 0...1], sources: 0...0, weight: 1)
        case .maybe: Shape([0...2, 0...1], sources: 0...0, weight: 1)
        case .completable: Shape([0...1, 0...1], sources: 0...0, weight: 1)

        case .map: Shape([0...4, Self.throwing], weight: 12)
        case .filter: Shape([Self.predicate, Self.throwing], weight: 8)
        case .compactMap, .skipWhile, .onlyWhere: Shape([Self.predicate, Self.throwing], weight: 3)
        case .enumerated, .toArray, .only, .first, .ignoreElements, .materialize, .roundTrip, .asSingle, .asMaybe:
            Shape(weight: 2)
        case .scan: Shape([0...1, Self.throwing])
        case .reduce: Shape([0...1, Self.throwing], weight: 2)
        case .take: Shape([0...3], weight: 12)
        case .takeLast, .skip: Shape([0...3], weight: 4)
        case .takeWhile, .takeUntilPredicate: Shape([Self.predicate, Self.throwing, 0...1])
        case .elementAt: Shape([0...3], weight: 2)
        case .distinct: Shape([0...2, Self.throwing])
        case .startWith: Shape(list: (1...2, 0...9), weight: 6)
        case .ifEmptyDefault, .catchAndReturn, .asInfallible: Shape([0...9], weight: 2)
        case .retry: Shape([1...3], weight: 5)
        case .doEvents: Shape([0...3, Self.throwing], weight: 10)
        case .probe: Shape(weight: 14)
        case .observeOn, .subscribeOn: Shape([0...1], weight: 2)

        // Replay count (0 for none), scope.
        case .share: Shape([0...2, 0...1], weight: 5)
        case .publish, .multicast: Shape([0...3, 0...1], weight: 2)
        case .replay: Shape([0...3], weight: 2)
        case .multicastSelector: Shape([0...3], closure: .observable, weight: 2)

        case .merge, .concat, .combineLatest, .zip: Shape([0...1], sources: 2...3, weight: 8)
        case .concatWith: Shape(sources: 2...2, weight: 5)
        case .amb: Shape([0...1], sources: 2...3, weight: 6)
        case .withLatestFrom, .takeUntil, .skipUntil, .ifEmptySwitch, .andThen: Shape(sources: 2...2, weight: 6)
        case .sample: Shape([0...1], sources: 2...2, weight: 5)
        case .catchSequence: Shape(sources: 2...3, weight: 4)

        case .flatMap: Shape([Self.throwing], closure: .element, weight: 10)
        case .flatMapLatest, .flatMapFirst, .concatMap, .mergeMap, .concatAll, .switchLatest:
            Shape([Self.throwing], closure: .element, weight: 5)
        case .mergeLimit: Shape([Self.throwing, 1...3], closure: .element, weight: 6)
        case .catchError: Shape([0...1], closure: .element, weight: 6)
        case .retryWhen: Shape(closure: .observable, weight: 5)
        // Number of keys, how the groups are flattened.
        case .groupBy: Shape([1...3, 0...2], closure: .observable, weight: 4)

        case .publishSubject, .asyncSubject, .publishRelay: Shape(sources: 0...0, use: .sharedOnly)
        case .behaviorSubject, .behaviorRelay: Shape([0...9], sources: 0...0, use: .sharedOnly)
        case .replaySubject, .replayRelay: Shape([0...2], sources: 0...0, use: .sharedOnly)
        // The choice of the subject that multicasts.
        case .connectable: Shape([0...3], use: .sharedOnly)

        // The number of the event, the action, its target (a shared definition or a main pipeline), the value.
        case .react: Shape([1...3, 0...7, 0...1, 0...9], use: .callbacks, weight: 8)

        case .timer: Shape([0...40], sources: 0...0, use: .virtualTime, weight: 5)
        case .interval: Shape([0...40, 1...30], sources: 0...0, use: .virtualTime, weight: 5)
        // Pairs: time, and an element, or -1 for completed and -2 for an error.
        case .cold, .hot: Shape(list: (0...10, -2...9), sources: 0...0, use: .virtualTime, weight: 16)
        case .justOn, .ofOn: Shape(list: (1...3, 0...9), sources: 0...0, use: .virtualTime, weight: 3)
        case .delay, .delaySubscription, .debounce: Shape([0...30], use: .virtualTime, weight: 8)
        case .throttle: Shape([0...30, 0...1], use: .virtualTime, weight: 8)
        case .timeout: Shape([1...40], use: .virtualTime, weight: 6)
        case .timeoutOther: Shape([1...40], sources: 2...2, use: .virtualTime, weight: 6)
        case .buffer: Shape([1...30, 1...3], use: .virtualTime, weight: 6)
        case .window: Shape([1...30, 1...3, 0...2], closure: .observable, use: .virtualTime, weight: 6)
        case .takeFor, .skipFor: Shape([0...40], use: .virtualTime, weight: 6)
        }
    }
}

extension Node {
    /// True if the operator takes this count of numbers and children. Their values may be any.
    public var isWellFormed: Bool {
        let shape = op.shape
        let closures = shape.closure == .none ? 0 : 1
        return numbers.count >= shape.numbers.count
            && (shape.list != nil || numbers.count == shape.numbers.count)
            && children.count - closures >= shape.sources.lowerBound
            && children.count - closures <= shape.sources.upperBound
    }
}

extension Operator {
    /// True if the operator subscribes to a source when an event comes or a timer fires.
    package var subscribesLater: Bool {
        switch self {
        case .delaySubscription, .timeoutOther, .concat, .concatWith, .catchSequence, .ifEmptySwitch, .andThen, .retry:
            true
        default: shape.closure != .none
        }
    }
}
