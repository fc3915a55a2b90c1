extension Laws {
    /// A number of steps for release builds, fewer for debug builds, whose frames are larger and whose code is slow.
    static func steps(_ release: Int, debug: Int) -> Int {
        #if DEBUG
            debug
        #else
            release
        #endif
    }
}
