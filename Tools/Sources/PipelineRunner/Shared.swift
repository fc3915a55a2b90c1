import PipelineModel
import RxRelay
import RxSwift

/// A definition that a program's pipelines refer to.
struct Shared {
    var observable: Ints
    var next: (Int) -> Void = { _ in }
    var error: (any Error) -> Void = { _ in }
    var completed: () -> Void = {}
    var connect: () -> (any Disposable)? = { nil }
}

/// A subject to multicast through.
enum AnySubject {
    case publish(PublishSubject<Int>)
    case behavior(BehaviorSubject<Int>)
    case replay(ReplaySubject<Int>)
    case async(AsyncSubject<Int>)

    init(_ choice: Int) {
        switch choice {
        case 0: self = .publish(PublishSubject())
        case 1: self = .behavior(BehaviorSubject(value: 9))
        case 2: self = .replay(ReplaySubject.create(bufferSize: 2))
        default: self = .async(AsyncSubject())
        }
    }
}

extension Session {
    func makeShared(_ node: Node) -> Shared {
        switch node.op {
        case .publishSubject: return subject(PublishSubject())
        case .behaviorSubject: return subject(BehaviorSubject(value: node.numbers[0]))
        case .replaySubject: return subject(ReplaySubject.create(bufferSize: node.numbers[0]))
        case .asyncSubject: return subject(AsyncSubject())
        case .publishRelay:
            let relay = PublishRelay<Int>()
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .behaviorRelay:
            let relay = BehaviorRelay(value: node.numbers[0])
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .replayRelay:
            let relay = ReplayRelay<Int>.create(bufferSize: node.numbers[0])
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .connectable:
            let source = build(node.children[0], Environment())
            switch AnySubject(node.numbers[0]) {
            case .publish: return connectable(source.publish())
            case .behavior(let subject): return connectable(source.multicast(subject))
            case .replay: return connectable(source.replay(2))
            case .async(let subject): return connectable(source.multicast(subject))
            }
        default: return Shared(observable: build(node, Environment()))
        }
    }

    private func subject<S: SubjectType & ObserverType>(_ subject: S) -> Shared
    where S.Element == Int, S.Observer == S {
        Shared(
            observable: subject.asObservable(), next: { subject.onNext($0) }, error: { subject.onError($0) },
            completed: { subject.onCompleted() })
    }

    private func connectable(_ connectable: ConnectableObservable<Int>) -> Shared {
        Shared(observable: connectable.asObservable(), connect: { connectable.connect() })
    }

    /// Multicasts through a subject of the given choice, connected while there are subscribers.
    func refCounted(_ source: Ints, _ choice: Int, makesSubjects: Bool) -> Ints {
        guard makesSubjects else {
            switch AnySubject(choice) {
            case .publish(let subject): return source.multicast(subject).refCount()
            case .behavior(let subject): return source.multicast(subject).refCount()
            case .replay(let subject): return source.multicast(subject).refCount()
            case .async(let subject): return source.multicast(subject).refCount()
            }
        }
        switch choice {
        case 0: return source.multicast { PublishSubject() }.refCount()
        case 1: return source.multicast { BehaviorSubject(value: 9) }.refCount()
        case 2: return source.multicast { ReplaySubject.create(bufferSize: 2) }.refCount()
        default: return source.multicast { AsyncSubject() }.refCount()
        }
    }

    func multicast(_ source: Ints, _ choice: Int, _ selector: @escaping (Ints) throws -> Ints) -> Ints {
        switch choice {
        case 0: source.multicast({ PublishSubject() }, selector: selector)
        case 1: source.multicast({ BehaviorSubject(value: 9) }, selector: selector)
        case 2: source.multicast({ ReplaySubject.create(bufferSize: 2) }, selector: selector)
        default: source.multicast({ AsyncSubject() }, selector: selector)
        }
    }
}
