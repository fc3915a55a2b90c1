// SPDX-License-Identifier: Apache-2.0

import Testing

/// Expects a condition that calls mutating methods, which `#expect` cannot take apart.
package func expect(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(holds, sourceLocation: sourceLocation)
}
