// SPDX-License-Identifier: Apache-2.0

import RxPrimitives
import RxSwift
import TestSupport
import Testing

@Suite struct DisposablesTests {
    @Test("A composite of three disposes of each member") func groupOfThree() {
        let disposables = (0..<3).map { _ in BooleanDisposable() }
        CompositeDisposable(disposables[0], disposables[1], disposables[2]).dispose()
        #expect(disposables.map { $0.isDisposed } == [true, true, true])
    }

    @Test("A disposable runs its closure once and releases it") func closureRunsOnce() {
        weak var released: ReleaseToken?
        var runs = 0
        let disposable: any Cancelable
        do {
            let token = ReleaseToken()
            released = token
            disposable = Disposables.create {
                withExtendedLifetime(token) { runs += 1 }
            }
        }
        #expect(!disposable.isDisposed && released != nil)
        disposable.dispose()
        disposable.dispose()
        #expect(runs == 1)
        #expect(disposable.isDisposed && released == nil)
    }

    @Test("The closure of a disposable may dispose of that disposable") func closureDisposesItself() {
        var runs = 0
        var disposable: (any Cancelable)?
        disposable = Disposables.create {
            runs += 1
            disposable?.dispose()
        }
        disposable?.dispose()
        disposable = nil
        #expect(runs == 1)
    }

    @Test("A group disposes of each member once and in order", arguments: 0...6) func groupOrder(count: Int) {
        var log: [Int] = []
        let members = (0..<count).map { index in Disposables.create { log.append(index) } }
        let group: any Cancelable
        switch count {
        case 2: group = Disposables.create(members[0], members[1])
        case 3: group = Disposables.create(members[0], members[1], members[2])
        case 5: group = Disposables.create(members[0], members[1], members[2], members[3], members[4])
        default: group = Disposables.create(members)
        }
        #expect(!group.isDisposed)
        group.dispose()
        group.dispose()
        #expect(group.isDisposed)
        #expect(log == Array(0..<count))
    }

    @Test("A boolean disposable remembers its state") func booleanState() {
        let fresh = BooleanDisposable()
        #expect(!fresh.isDisposed)
        fresh.dispose()
        #expect(fresh.isDisposed)
        #expect(BooleanDisposable(isDisposed: true).isDisposed)
    }

    @Test("A composite disposes of its members and of latecomers") func compositeLatecomer() {
        let (first, second, third) = (BooleanDisposable(), BooleanDisposable(), BooleanDisposable())
        let group = CompositeDisposable(first, second)
        #expect(group.count == 2)
        group.dispose()
        #expect(group.isDisposed && group.count == 0)
        #expect(first.isDisposed && second.isDisposed)
        #expect(group.insert(third) == nil)
        #expect(third.isDisposed)
    }

    @Test("A composite removes and disposes of members by key") func compositeKeys() throws {
        let group = CompositeDisposable()
        let members = (0..<100).map { _ in BooleanDisposable() }
        let keys = try members.map { try #require(group.insert($0)) }
        for index in stride(from: 0, to: 100, by: 3) { group.remove(for: keys[index]) }
        group.remove(for: keys[0])
        #expect(members.indices.allSatisfy { members[$0].isDisposed == ($0 % 3 == 0) })
        #expect(group.count == 66)
        for index in 0..<90 { group.remove(for: keys[index]) }
        #expect(members.prefix(90).allSatisfy { $0.isDisposed })
        #expect(members.suffix(10).filter { $0.isDisposed }.count == 4)
        let last = BooleanDisposable()
        let key = try #require(group.insert(last))
        group.remove(for: key)
        #expect(last.isDisposed)
        group.dispose()
        #expect(members.allSatisfy { $0.isDisposed })
    }

    private final class Keys: @unchecked Sendable {
        var own: CompositeDisposable.DisposeKey?
    }

    @Test("A member may use its group during disposal") func compositeReentrancy() {
        let group = CompositeDisposable()
        let inserted = BooleanDisposable()
        let keys = Keys()
        keys.own = group.insert(
            Disposables.create {
                _ = group.insert(inserted)
                group.remove(for: keys.own!)
                #expect(group.isDisposed)
            })
        group.dispose()
        #expect(inserted.isDisposed)
    }

    @Test("A serial disposable disposes of the previous one at replacement") func serialReplacement() {
        let serial = SerialDisposable()
        let (first, second, third) = (BooleanDisposable(), BooleanDisposable(), BooleanDisposable())
        serial.disposable = first
        #expect((serial.disposable as? BooleanDisposable) === first)
        serial.disposable = second
        #expect(first.isDisposed && !second.isDisposed && !serial.isDisposed)
        serial.dispose()
        #expect(second.isDisposed && serial.isDisposed)
        serial.disposable = third
        #expect(third.isDisposed)
    }

    @Test("A single assignment disposes of a disposable assigned before or after") func singleAssignment() {
        let (before, after) = (BooleanDisposable(), BooleanDisposable())
        let assignedFirst = SingleAssignmentDisposable()
        assignedFirst.setDisposable(before)
        #expect(!assignedFirst.isDisposed && !before.isDisposed)
        assignedFirst.dispose()
        #expect(assignedFirst.isDisposed && before.isDisposed)

        let disposedFirst = SingleAssignmentDisposable()
        disposedFirst.dispose()
        #expect(disposedFirst.isDisposed)
        disposedFirst.setDisposable(after)
        #expect(after.isDisposed)
    }

    @Test("A second assignment to a single assignment stops the program") func secondAssignment() async {
        await #expect(processExitsWith: .failure) {
            let single = SingleAssignmentDisposable()
            single.setDisposable(Disposables.create())
            single.setDisposable(Disposables.create())
        }
    }

    @Test("A reference-counted disposable waits for its dependents") func refCount() {
        let underlying = BooleanDisposable()
        let shared = RefCountDisposable(disposable: underlying)
        let (first, second) = (shared.retain(), shared.retain())
        first.dispose()
        first.dispose()
        shared.dispose()
        shared.dispose()
        #expect(!underlying.isDisposed && !shared.isDisposed)
        second.dispose()
        #expect(underlying.isDisposed && shared.isDisposed)
        shared.retain().dispose()
    }

    @Test("A dispose bag disposes of its members at its release") func bagRelease() {
        let members = (0..<6).map { _ in BooleanDisposable() }
        var bag: DisposeBag? = DisposeBag(disposing: members[0])
        members[1].disposed(by: bag!)
        bag?.insert(members[2], members[3])
        bag?.insert {
            members[4]
            members[5]
        }
        #expect(!members.contains(where: { $0.isDisposed }))
        bag = nil
        #expect(members.allSatisfy { $0.isDisposed })

        let built = BooleanDisposable()
        bag = DisposeBag {
            built
        }
        bag = DisposeBag()
        #expect(built.isDisposed)
    }

    @Test("An insertion that races with dispose loses no member") func insertRace() {
        for _ in 0..<300 {
            let composite = CompositeDisposable()
            let serial = SerialDisposable()
            let single = SingleAssignmentDisposable()
            let members = (0..<6).map { _ in BooleanDisposable() }
            let disposals = AtomicWord(0)
            let action = Disposables.create { _ = disposals.fetchAdd(1) }
            race(
                {
                    for member in members.prefix(4) { _ = composite.insert(member) }
                    serial.disposable = members[4]
                    single.setDisposable(members[5])
                    action.dispose()
                },
                {
                    composite.dispose()
                    serial.dispose()
                    single.dispose()
                    action.dispose()
                })
            #expect(members.allSatisfy { $0.isDisposed })
            #expect(disposals.loadAcquiring() == 1)
        }
    }

    @Test("A retain that races with dispose leads to one release") func retainRace() {
        for _ in 0..<300 {
            let releases = AtomicWord(0)
            let shared = RefCountDisposable(disposable: Disposables.create { _ = releases.fetchAdd(1) })
            let body: @Sendable () -> Void = { shared.retain().dispose() }
            race(
                {
                    body()
                    shared.dispose()
                }, body)
            #expect(releases.loadAcquiring() == 1)
        }
    }
}
