import RxSwift

// Operators as KnownDifferences.md tells of them, made of the other library's parts. They take the place of that library's own when
// a program runs again because its logs differ.

extension Session {
    /// `amb` that keeps its winner when a loser ends while it is being subscribed to.
    func modelAmb(_ left: Ints, _ right: Ints) -> Ints {
        .create { [log] observer in
            var winner = 0
            var subscribing = 0
            let links = [SingleAssignmentDisposable(), SingleAssignmentDisposable()]
            for (index, source) in [left, right].enumerated() {
                subscribing = index + 1
                links[index].setDisposable(
                    source.subscribe { event in
                        if winner == 0 {
                            winner = index + 1
                            links[1 - index].dispose()
                        }
                        if winner == index + 1 {
                            observer.on(event)
                        } else if event.isStopEvent, subscribing == index + 1 {
                            log.note("amb")
                        }
                        if event.isStopEvent { links[index].dispose() }
                    })
                subscribing = 0
            }
            return Disposables.create(links[0], links[1])
        }
    }

    /// `share()` or `share(replay: 1)`, which are no `multicast` and `refCount`: the source is disposed of behind its terminal event.
    func modelShare(_ source: Ints, _ policy: ModelSubject.Policy) -> Ints {
        var connection: (subject: ModelSubject, source: SingleAssignmentDisposable, subscribers: Int)?
        return .create { observer in
            let isFirst = connection == nil
            if isFirst { connection = (self.model(policy), SingleAssignmentDisposable(), 0) }
            connection!.subscribers += 1
            let (subject, link, _) = connection!
            let below = subject.subscribe(observer)
            if isFirst {
                link.setDisposable(
                    source.subscribe { event in
                        if event.isStopEvent, connection?.subject === subject { connection = nil }
                        subject.on(event)
                        if event.isStopEvent { link.dispose() }
                    })
            }
            return Disposables.create {
                below.dispose()
                guard connection?.subject === subject else { return }
                connection!.subscribers -= 1
                guard connection!.subscribers == 0 else { return }
                connection = nil
                link.dispose()
            }
        }
    }

    /// The errors of a `retry(when:)` that goes on in a loop: one that comes while another one is being answered waits.
    func modelErrors(_ errors: Ints) -> Ints {
        .create { [log] observer in
            let subject = ModelSubject(.publish) { if $0 == "nested" { log.note("retry") } }
            let below = subject.subscribe(observer)
            return Disposables.create(errors.subscribe(subject), below)
        }
    }

    /// `skip(until:)` that wants one element of its trigger, and nothing behind it.
    func modelSkipUntil(_ source: Ints, _ trigger: Ints) -> Ints {
        source.skip(
            until: Ints.deferred { [log] in
                var hasFired = false
                let watched = trigger.do(
                    onNext: { _ in hasFired = true }, onError: { _ in if hasFired { log.note("trigger") } })
                return watched.take(1)
            })
    }
}
