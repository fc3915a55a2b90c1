/// A recipe whose sharing makes no difference any more once its only subscriber is another share.
///
/// `driver.map(f).filter(p)` is a row of shares, one per operator, of which usually only the last one can be subscribed to: the
/// others were handed to the next operator and forgotten. Such a one is nothing but a door that nobody else can use, so the
/// share below it goes past it. It is recognized by its reference count: one, that of the operator's recipe.
@usableFromInline
package protocol BypassableShare: AnyObject {
    /// From now on subscriptions go straight to the source. Nobody but the caller can subscribe, now and later.
    func bypass()
}
