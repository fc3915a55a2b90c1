/// A recipe whose sharing makes no difference any more once its only subscriber is another share.
///
/// `driver.map(f).filter(p)` is a row of shares, one per operator, of which usually only the last one can be subscribed to: only the
/// next operator holds the others. Such a share is nothing but a serializer that no other subscriber can use, so the
/// share below bypasses it. It is recognized by its reference count: one, that of the operator's recipe.
@usableFromInline
package protocol BypassableShare: AnyObject {
    /// Makes subscriptions go straight to the source from now on. Only the caller can subscribe, now and later.
    func bypass()
}
