/// A number of steps for release builds, fewer for debug builds, whose frames are larger and whose code is slow.
package func stepCount(_ release: Int, debug: Int) -> Int {
    #if DEBUG
        debug
    #else
        release
    #endif
}

/// The depth to which recursion through operators is tested. The law is about optimized code, whose frames are a fraction of
/// those of debug builds.
package let recursionDepth = stepCount(5_000, debug: 500)
