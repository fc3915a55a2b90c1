// SPDX-License-Identifier: Apache-2.0

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

/// A subject that multicasts.
enum AnySubject {
    case publish(PublishSubject<Int>)
    case behavior(BehaviorSubject<Int>)
    case replay(ReplaySubject<Int>)
    case async(AsyncSubject<Int>)
    case model(ModelSubject)

    init(_ choice: Int, _ session: Session, replaying count: Int = 2) {
        guard !session.usesModels else {
            let policies: [ModelSubject.Policy] = [.publish, .behavior(9), .replay(count), .async]
            self = .model(session.model(policies[choice]))
            return
        }
        switch choice {
        case 0: self = .publish(PublishSubject())
        case 1: self = .behavior(BehaviorSubject(value: 9))
        case 2: self = .replay(ReplaySubject.create(bufferSize: count))
        default: self = .async(AsyncSubject())
        }
    }
}

extension Session {
    func model(_ policy: ModelSubject.Policy) -> ModelSubject {
        ModelSubject(policy) { [log] in log.note($0) }
    }

    func makeShared(_ node: Node) -> Shared {
        let number = node.numbers.first ?? 0
        if usesModels {
            switch node.op {
            case .publishSubject: return subject(model(.publish))
            case .behaviorSubject: return subject(model(.behavior(number)))
            case .replaySubject: return subject(model(.replay(number)))
            case .publishRelay: return relay(model(.publish))
            case .behaviorRelay: return relay(model(.behavior(number)))
            case .replayRelay: return relay(model(.replay(number)))
            case .asyncSubject: return subject(model(.async))
            default: break
            }
        }
        switch node.op {
        case .publishSubject: return subject(PublishSubject())
        case .behaviorSubject: return subject(BehaviorSubject(value: number))
        case .replaySubject: return subject(ReplaySubject.create(bufferSize: number))
        case .asyncSubject: return subject(AsyncSubject())
        case .publishRelay:
            let relay = PublishRelay<Int>()
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .behaviorRelay:
            let relay = BehaviorRelay(value: number)
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .replayRelay:
            let relay = ReplayRelay<Int>.create(bufferSize: number)
            return Shared(observable: relay.asObservable(), next: relay.accept)
        case .connectable: return connectable(connected(build(node.children[0], Environment()), number))
        default: return Shared(observable: build(node, Environment()))
        }
    }

    /// Multicasts a source through one subject.
    private func connected(_ source: Ints, _ choice: Int, replaying count: Int = 2) -> ConnectableObservable<Int> {
        switch AnySubject(choice, self, replaying: count) {
        case .publish(let subject): source.multicast(subject)
        case .behavior(let subject): source.multicast(subject)
        case .replay(let subject): source.multicast(subject)
        case .async(let subject): source.multicast(subject)
        case .model(let subject): source.multicast(subject)
        }
    }

    func shared(_ source: Ints, replaying count: Int, isForever: Bool) -> Ints {
        guard usesModels else { return source.share(replay: count, scope: isForever ? .forever : .whileConnected) }
        if !isForever, count < 2 { return modelShare(source, count == 0 ? .publish : .replay(count)) }
        return refCounted(source, count == 0 ? 0 : 2, makesSubjects: !isForever, replaying: count)
    }

    func replayed(_ source: Ints, _ count: Int) -> Ints {
        guard usesModels else { return count == 3 ? source.replayAll().refCount() : source.replay(count).refCount() }
        return refCounted(source, 2, makesSubjects: true, replaying: count == 3 ? 1000 : count)
    }

    private func subject<S: SubjectType & ObserverType>(_ subject: S) -> Shared
    where S.Element == Int, S.Observer == S {
        Shared(
            observable: subject.asObservable(), next: { subject.onNext($0) }, error: { subject.onError($0) },
            completed: { subject.onCompleted() })
    }

    private func relay(_ subject: ModelSubject) -> Shared {
        Shared(observable: subject.asObservable(), next: { subject.onNext($0) })
    }

    private func connectable(_ connectable: ConnectableObservable<Int>) -> Shared {
        Shared(observable: connectable.asObservable(), connect: { connectable.connect() })
    }

    /// Multicasts through a subject of the given choice, connected while there are subscribers.
    func refCounted(_ source: Ints, _ choice: Int, makesSubjects: Bool, replaying count: Int = 2) -> Ints {
        if usesModels {
            let policies: [ModelSubject.Policy] = [.publish, .behavior(9), .replay(count), .async]
            return modelRefCount(source) { source in
                makesSubjects
                    ? source.multicast { self.model(policies[choice]) }
                    : self.connected(source, choice, replaying: count)
            }
        }
        guard makesSubjects else { return connected(source, choice).refCount() }
        switch choice {
        case 0: return source.multicast { PublishSubject() }.refCount()
        case 1: return source.multicast { BehaviorSubject(value: 9) }.refCount()
        case 2: return source.multicast { ReplaySubject.create(bufferSize: count) }.refCount()
        default: return source.multicast { AsyncSubject() }.refCount()
        }
    }

    func multicast(_ source: Ints, _ choice: Int, _ selector: @escaping (Ints) throws -> Ints) -> Ints {
        switch AnySubject(choice, self) {
        case .publish: source.multicast({ PublishSubject() }, selector: selector)
        case .behavior: source.multicast({ BehaviorSubject(value: 9) }, selector: selector)
        case .replay: source.multicast({ ReplaySubject.create(bufferSize: 2) }, selector: selector)
        case .async: source.multicast({ AsyncSubject() }, selector: selector)
        case .model:
            source.multicast(
                {
                    guard case .model(let subject) = AnySubject(choice, self) else { fatalError("no model") }
                    return subject
                }, selector: selector)
        }
    }
}
