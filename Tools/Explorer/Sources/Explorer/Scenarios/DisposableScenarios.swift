// SPDX-License-Identifier: Apache-2.0

import RxSwift

extension Scenario {
    static let disposables: [Scenario] = [
        Scenario(
            "disposable.composite",
            "each member of a group is disposed of once, whether it is inserted before, while or after"
        ) {
            let group = CompositeDisposable()
            let members = (Resource(), Resource(), Resource())
            _ = group.insert(members.0)
            return Run(
                { _ = group.insert(members.1) },
                { if let key = group.insert(members.2) { group.remove(for: key) } },
                { group.dispose() }
            ) {
                require(
                    members.0.isDisposed && members.1.isDisposed && members.2.isDisposed, "a member is not disposed of")
                require(group.isDisposed && group.count == 0, "the group still holds something")
            }
        },
        Scenario("disposable.single-assignment", "what is assigned is disposed of once, whoever comes first") {
            let single = SingleAssignmentDisposable()
            let resource = Resource()
            return Run({ single.setDisposable(resource) }, { single.dispose() }, { single.dispose() }) {
                require(resource.isDisposed, "what was assigned is not disposed of")
            }
        },
        Scenario("disposable.serial", "what is replaced is disposed of, and what comes last, when the whole is") {
            let serial = SerialDisposable()
            let resources = (Resource(), Resource(), Resource())
            return Run(
                { serial.disposable = resources.0 },
                {
                    serial.disposable = resources.1
                    serial.disposable = resources.2
                },
                { serial.dispose() }
            ) {
                require(
                    resources.0.isDisposed && resources.1.isDisposed && resources.2.isDisposed, "a disposable is left")
            }
        },
        Scenario("disposable.ref-count", "the underlying disposable goes with the last of those that need it") {
            let resource = Resource()
            let counted = RefCountDisposable(disposable: resource)
            let dependent = counted.retain()
            return Run(
                { dependent.dispose() },
                {
                    let second = counted.retain()
                    second.dispose()
                    second.dispose()
                },
                { counted.dispose() }
            ) {
                require(resource.isDisposed && counted.isDisposed, "the underlying disposable is left")
            }
        },
        Scenario(
            "disposable.ref-count-holds",
            "a dependent keeps the underlying disposable, also where another one is disposed of twice"
        ) {
            let resource = Resource()
            let counted = RefCountDisposable(disposable: resource)
            let kept = counted.retain()
            let other = counted.retain()
            return Run({ other.dispose() }, { other.dispose() }, { counted.dispose() }) {
                require(!resource.isDisposed, "disposed of while a dependent is left")
                kept.dispose()
                require(resource.isDisposed, "the underlying disposable is left")
            }
        },
        Scenario("disposable.closures", "a closure runs once, and two and three disposables are each disposed of once")
        {
            let resources = (Resource(), Resource(), Resource(), Resource(), Resource())
            let count = Count()
            let closure = Disposables.create { count.add() }
            let two = Disposables.create(resources.0, resources.1)
            let many = Disposables.create([resources.2, resources.3, resources.4])
            return Run(
                {
                    closure.dispose()
                    two.dispose()
                    many.dispose()
                },
                {
                    many.dispose()
                    two.dispose()
                    closure.dispose()
                }
            ) {
                require(count.value == 1, "the closure runs \(count.value) times")
                require(
                    resources.0.isDisposed && resources.1.isDisposed && resources.2.isDisposed && resources.3.isDisposed
                        && resources.4.isDisposed, "a disposable is left")
            }
        },
        Scenario("disposable.bag", "a bag disposes of what several threads put into it") {
            var bag: DisposeBag? = DisposeBag()
            let resources = (Resource(), Resource(), Resource())
            let threads: [() -> Void] = [
                { [bag] in bag!.insert(resources.0) },
                { [bag] in bag!.insert([resources.1, resources.2]) },
            ]
            return Run(threads: threads) {
                bag = nil
            }
        },
    ]
}
