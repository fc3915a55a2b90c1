// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxCocoa
import RxRelay
import RxSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class Label: NSObject {
    var text: String? = ""
    var number = 0
}

func relays(bag: DisposeBag) {
    let publish = PublishRelay<Int>()
    let behavior = BehaviorRelay(value: 1)
    let optional = BehaviorRelay<Int?>(value: nil)
    let replay = ReplayRelay<Int>.create(bufferSize: 2)
    publish.accept(1)
    behavior.accept(behavior.value + 1)
    publish.bind(to: behavior).disposed(by: bag)
    publish.bind(to: behavior, BehaviorRelay(value: 2)).disposed(by: bag)
    publish.bind(to: optional).disposed(by: bag)
    behavior.asObservable().bind(to: replay).disposed(by: bag)
    behavior.map { $0 + 1 }.bind(to: publish).disposed(by: bag)
    behavior.map { "\($0)" }.bind(onNext: { print($0) }).disposed(by: bag)
    behavior.subscribe(onNext: { print($0) }).disposed(by: bag)
    behavior.bind(to: BehaviorSubject(value: 2)).disposed(by: bag)
    behavior.bind(with: bag, onNext: { bag, number in print(bag, number) }).disposed(by: bag)
    behavior.distinctUntilChanged().skip(1).bind { print($0) }.disposed(by: bag)
    behavior.asInfallible().bind(to: publish).disposed(by: bag)
}

func binders(_ label: Label, bag: DisposeBag) {
    let texts = Observable.of("a", "b")
    texts.bind(to: label.rx.text).disposed(by: bag)
    texts.map { $0.count }.bind(to: label.rx.number).disposed(by: bag)
    let binder = Binder(label) { label, number in label.number = number }
    Observable.of(1, 2).bind(to: binder).disposed(by: bag)
    Observable.of(1, 2).subscribe(binder).disposed(by: bag)
}

func drivers(_ texts: Observable<String>, _ label: Label, bag: DisposeBag) {
    let driver = texts.asDriver(onErrorJustReturn: "")
    driver.drive(onNext: { print($0) }).disposed(by: bag)
    driver.drive(label.rx.text).disposed(by: bag)
    driver.drive(BehaviorRelay(value: "")).disposed(by: bag)
    driver.drive(BehaviorRelay<String?>(value: nil)).disposed(by: bag)
    driver.drive { $0.subscribe() }.disposed(by: bag)
    driver.map { $0.count }.filter { $0 > 1 }.distinctUntilChanged().drive(label.rx.number).disposed(by: bag)
    driver.flatMapLatest { text in Driver.just(text) }.drive().disposed(by: bag)
    driver.map(\.count).scan(0) { $0 + $1 }.drive(onNext: { print($0) }, onCompleted: {}).disposed(by: bag)
    driver.throttle(.milliseconds(300)).debounce(.seconds(1)).startWith("").drive().disposed(by: bag)
    driver.withLatestFrom(driver) { $0 + $1 }.drive(with: label, onNext: { label, text in label.text = text })
        .disposed(by: bag)
    Driver.combineLatest(driver, driver).map { $0 + $1 }.drive(label.rx.text).disposed(by: bag)
    Driver.combineLatest(driver, driver, driver) { [$0, $1, $2] }.drive().disposed(by: bag)
    Driver.combineLatest([driver, driver]).map { $0.joined() }.drive().disposed(by: bag)
    Driver.zip(driver, driver) { $0 + $1 }.drive().disposed(by: bag)
    Driver.merge(driver, driver).drive().disposed(by: bag)
    Driver.of("a", "b").drive().disposed(by: bag)
    let signal: Signal<String> = PublishRelay<String>().asSignal()
    signal.emit(onNext: { print($0) }).disposed(by: bag)
    signal.emit(to: PublishRelay()).disposed(by: bag)
    signal.emit(to: label.rx.text).disposed(by: bag)
    signal.withUnretained(label).emit(onNext: { label, text in label.text = text }).disposed(by: bag)
    texts.asSignal(onErrorSignalWith: .empty()).map { $0.count }.emit().disposed(by: bag)
    texts.asDriver(onErrorDriveWith: .never()).asObservable().subscribe().disposed(by: bag)
    texts.asDriver { _ in .just("failed") }.drive().disposed(by: bag)
}

func foundation(bag: DisposeBag) throws {
    NotificationCenter.default.rx.notification(Notification.Name("changed")).map { $0.name.rawValue }
        .subscribe(onNext: { print($0) }).disposed(by: bag)
    guard let url = URL(string: "http://localhost") else { return }
    let request = URLRequest(url: url)
    URLSession.shared.rx.data(request: request).map { $0.count }.subscribe().disposed(by: bag)
    URLSession.shared.rx.json(url: url).map { $0 as? [String: Any] }.subscribe().disposed(by: bag)
    URLSession.shared.rx.response(request: request).map { response, data in (response.statusCode, data.count) }
        .subscribe(onNext: { print($0, $1) }).disposed(by: bag)
    URLSession.rx.shouldLogRequest = { _ in false }
}

protocol SearchService {
    func search(_ query: String) -> Single<[String]>
}

@MainActor
final class SearchViewModel {
    let query = BehaviorRelay(value: "")
    let results: Driver<[String]>
    private(set) var shown: [String] = []
    private let bag = DisposeBag()

    init(service: any SearchService) {
        nonisolated(unsafe) let service = service
        results = query.asObservable()
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
            .distinctUntilChanged()
            .throttle(.milliseconds(300), scheduler: MainScheduler.instance)
            .flatMapLatest { query in
                service.search(query).asObservable().catchAndReturn([])
            }
            .asDriver(onErrorJustReturn: [])
        results.drive(onNext: { [weak self] results in
            MainActor.assumeIsolated { self?.shown = results }
        }).disposed(by: bag)
    }
}
