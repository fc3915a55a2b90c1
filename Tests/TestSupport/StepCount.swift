/// A number of steps for release builds, fewer for debug builds, whose frames are larger and whose code is slow.
package func stepCount(_ release: Int, debug: Int) -> Int {
    #if DEBUG
        debug
    #else
        release
    #endif
}

/// How deep recursion through operators is tested: the law is about optimized code, whose frames are a fraction of the others.
package let recursionDepth = stepCount(5_000, debug: 500)
