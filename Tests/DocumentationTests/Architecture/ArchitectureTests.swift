// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import Testing

/// A search that loads pages. Each answer arrives after ten ticks.
private final class SearchReactor: Reactor<SearchReactor.Action, SearchReactor.Mutation, SearchReactor.State> {
    enum Action {
        case updateQuery(String)
        case loadNextPage

        var isUpdate: Bool { if case .updateQuery = self { true } else { false } }
    }

    enum Mutation {
        case setQuery(String)
        case setItems([String], nextPage: Int?)
        case appendItems([String], nextPage: Int?)
        case setLoading(Bool)
    }

    struct State: CustomStringConvertible {
        var query = ""
        var items: [String] = []
        var nextPage: Int?
        var isLoading = false

        var description: String {
            "\(query) [\(items.joined(separator: " "))]\(nextPage.map { " next \($0)" } ?? "")\(isLoading ? " loading" : "")"
        }
    }

    private let scheduler: TestScheduler

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
        super.init(initialState: State())
    }

    override func mutate(_ action: Action) -> Observable<Mutation> {
        // A request ends when another search begins.
        let otherSearch = self.action.filter(\.isUpdate)
        switch action {
        case .updateQuery(let query):
            return .concat([
                .just(.setQuery(query)),
                search(query, page: 1).take(until: otherSearch).map { .setItems($0.items, nextPage: $0.nextPage) },
            ])
        case .loadNextPage:
            guard !currentState.isLoading, let page = currentState.nextPage else { return .empty() }
            return .concat([
                .just(.setLoading(true)),
                search(currentState.query, page: page).take(until: otherSearch)
                    .map { .appendItems($0.items, nextPage: $0.nextPage) },
                .just(.setLoading(false)),
            ])
        }
    }

    override func reduce(_ state: State, _ mutation: Mutation) -> State {
        var new = state
        switch mutation {
        case .setQuery(let query): new.query = query
        case .setItems(let items, let nextPage): (new.items, new.nextPage) = (items, nextPage)
        case .appendItems(let items, let nextPage): (new.items, new.nextPage) = (state.items + items, nextPage)
        case .setLoading(let isLoading): new.isLoading = isLoading
        }
        return new
    }

    private func search(_ query: String, page: Int) -> Observable<(items: [String], nextPage: Int?)> {
        if query == "bad" { return .error(ExampleError.test) }
        return Observable.just((["\(query)\(page)"], page < 2 ? page + 1 : nil))
            .delay(.seconds(10), scheduler: scheduler)
    }
}

extension Documentation {
    /// The architectures that are built on top of Rx.
    @Suite struct ArchitectureTests {
        private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

        private func states(_ script: [(Int, SearchReactor.Action)]) -> [String] {
            let reactor = SearchReactor(scheduler)
            let console = Console()
            let subscription = reactor.state
                .subscribe(onNext: { [scheduler] state in console.print("\(scheduler.clock): \(state)") })
            for (time, action) in script { scheduler.scheduleAt(time) { reactor.action.onNext(action) } }
            scheduler.start()
            subscription.dispose()
            return console.lines
        }

        @Test("A search loads its first page, and then the next on request") func searchAndNextPage() {
            #expect(
                states([(10, .updateQuery("rx")), (30, .loadNextPage), (35, .loadNextPage), (50, .loadNextPage)]) == [
                    "0:  []", "10: rx []", "20: rx [rx1] next 2", "30: rx [rx1] next 2 loading",
                    "40: rx [rx1 rx2] loading", "40: rx [rx1 rx2]",
                ])
        }

        /// The search subscribed to the actions before the pending request, and so sets the query before the loading ends.
        @Test("Another search ends the pending request") func newSearch() {
            #expect(
                states([
                    (10, .updateQuery("r")), (15, .updateQuery("rx")), (30, .loadNextPage), (32, .updateQuery("s")),
                ])
                    == [
                        "0:  []", "10: r []", "15: rx []", "25: rx [rx1] next 2", "30: rx [rx1] next 2 loading",
                        "32: s [rx1] next 2 loading", "32: s [rx1] next 2", "42: s [s1] next 2",
                    ])
        }

        @Test("An error of a request does not end the reactor") func failedRequest() {
            #expect(
                states([(10, .updateQuery("bad")), (20, .updateQuery("rx"))])
                    == ["0:  []", "10: bad []", "20: rx []", "30: rx [rx1] next 2"])
        }

        /// A feedback loop: while the state names a page to load, an effect loads it.
        @Test("A feedback loop loads pages until there are enough") func pageLoop() {
            enum Event {
                case wanted(Int)
                case loaded(Int)
            }
            struct Pages: CustomStringConvertible {
                var wanted = 0
                var loaded = 0

                var description: String { "\(loaded)/\(wanted)" }
            }
            let wishes = scheduler.createHotObservable([.next(10, 2), .next(70, 3)])
            let console = Console()
            let subscription = Observable<Pages>.loop(
                initialState: Pages(),
                reduce: { pages, event in
                    var new = pages
                    switch event {
                    case .wanted(let count): new.wanted = count
                    case .loaded(let page): new.loaded = page
                    }
                    return new
                },
                scheduler: scheduler,
                feedback: { _ in wishes.map { Event.wanted($0) } },
                react(
                    request: { (pages: Pages) in pages.loaded < pages.wanted ? pages.loaded + 1 : nil },
                    effects: { [scheduler] page in
                        Observable.just(Event.loaded(page)).delay(.seconds(10), scheduler: scheduler)
                    })
            )
            .subscribe(onNext: { [scheduler] pages in console.print("\(scheduler.clock): \(pages)") })
            scheduler.start()
            subscription.dispose()
            #expect(console.lines == ["0: 0/0", "10: 0/2", "20: 1/2", "30: 2/2", "70: 2/3", "80: 3/3"])
        }

        /// An event that is sent during the delivery of a state follows that delivery.
        @Test("A feedback loop that answers at once counts down") func countdownLoop() {
            let console = Console()
            let subscription = Observable<Int>.loop(
                initialState: 3, reduce: { state, change in state + change },
                scheduler: CurrentThreadScheduler.instance,
                feedback: react(request: { (state: Int) in state > 0 ? state : nil }, effects: { _ in .just(-1) })
            )
            .subscribe(onNext: { console.print($0) })
            subscription.dispose()
            #expect(console.lines == ["3", "2", "1", "0"])
        }
    }
}
