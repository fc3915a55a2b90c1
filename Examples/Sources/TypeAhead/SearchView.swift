// SPDX-License-Identifier: Apache-2.0

public import RxCocoa
public import RxSwift
public import Terminal

/// Connects keys, the model and the screen.
public struct SearchView: Sendable {
    public let frames: Driver<Frame>
    /// Emits the selected line when Enter is pressed, unless it is one for an earlier query.
    public let chosen: Observable<String>

    public init(keys: Observable<Key>, size: Driver<WindowSize>, service: any SearchService) {
        let state =
            keys
            .scan(into: SearchState()) { state, key in state.handle(key) }
            .startWith(SearchState())
            .asDriver(onErrorDriveWith: .empty())
            .distinctUntilChanged()
        let model = SearchModel(query: state.map { $0.query.text }.distinctUntilChanged(), service: service)
        let screen = Driver.combineLatest(state, model.phase, model.results) { state, phase, results in
            SearchScreen(state: state, phase: phase, results: results)
        }
        frames = Driver.combineLatest(screen, size) { screen, size in screen.frame(for: size) }
        chosen = state.map(\.choices).distinctUntilChanged().skip(1).asObservable()
            .withLatestFrom(screen)
            .compactMap(\.choice)
    }
}
