// SPDX-License-Identifier: Apache-2.0

import RxRelay
import RxSwift

/// A state that changes by mutations. Actions lead to mutations.
class Reactor<Action, Mutation, State> {
    let action = PublishSubject<Action>()
    private(set) var currentState: State
    private(set) lazy var state: Observable<State> = makeStates()
    private let disposeBag = DisposeBag()

    init(initialState: State) { currentState = initialState }

    /// Returns the mutations of an action; for subclasses to override.
    func mutate(_ action: Action) -> Observable<Mutation> { .empty() }

    /// Returns the state after a mutation; for subclasses to override.
    func reduce(_ state: State, _ mutation: Mutation) -> State { state }

    private func makeStates() -> Observable<State> {
        let states =
            action
            .flatMap { [weak self] action -> Observable<Mutation> in
                self?.mutate(action).catch { _ in .empty() } ?? .empty()
            }
            .scan(currentState) { [weak self] state, mutation in self?.reduce(state, mutation) ?? state }
            .startWith(currentState)
            .do(onNext: { [weak self] state in self?.currentState = state })
            .replay(1)
        states.connect().disposed(by: disposeBag)
        return states
    }
}

/// A closure that turns states into events: it asks a service, shows a view, or waits for the user.
typealias Feedback<State, Event> = (Observable<State>) -> Observable<Event>

extension ObservableType {
    /// A loop: a state gives rise to events, and each event to the next state.
    ///
    /// - Parameter scheduler: delivers the states, so that no event is sent from inside the effects of another one.
    static func loop<Event>(
        initialState: Element, reduce: @escaping (Element, Event) -> Element, scheduler: any ImmediateSchedulerType,
        feedback: Feedback<Element, Event>...
    ) -> Observable<Element> {
        Observable.deferred {
            let states = ReplaySubject<Element>.create(bufferSize: 1)
            let events = Observable<Event>.merge(
                feedback.map { $0(states.asObservable().observe(on: scheduler)).observe(on: scheduler) })
            return
                events
                .scan(initialState) { reduce($0, $1) }
                .do(onNext: { states.onNext($0) }, onSubscribed: { states.onNext(initialState) })
                .startWith(initialState)
        }
    }
}

/// A feedback that runs effects for as long as a question to the state has the same answer.
func react<State, Request: Equatable, Event>(
    request: @escaping (State) -> Request?, effects: @escaping (Request) -> Observable<Event>
) -> Feedback<State, Event> {
    { states in
        states.map(request)
            .distinctUntilChanged()
            .flatMapLatest { request in request.map(effects) ?? .empty() }
    }
}
