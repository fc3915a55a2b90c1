extension ObservableType {
    /// This sequence as an `Observable`.
    ///
    /// For types of the program's own: their events pass through a door like those of `create`, so that what follows keeps the
    /// laws of sequences even if the type does not.
    public func asObservable() -> Observable<Element> {
        Observable.create { observer in self.subscribe(observer) }
    }
}
