// SPDX-License-Identifier: Apache-2.0

/// The superclass of the disposables of this library, which counts them under `TRACE_RESOURCES`.
public class DisposeBase: @unchecked Sendable {
    init() {
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit {
            ResourceCensus.died(Self.self)
        }
    #endif
}
