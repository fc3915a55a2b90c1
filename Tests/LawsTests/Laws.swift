// SPDX-License-Identifier: Apache-2.0

import Testing

/// The laws, each run on every operator.
///
/// `Laws.rows` is a table with a row per operator; each law is a test with the rows as arguments, once for each source of an
/// operator that has several, so that a failure names operator and source. `CoverageLaw` fails when a public operator has no row.
/// One serialized suite: the counts of live objects belong to the whole process.
@Suite(.serialized) struct Laws {
    /// Every operator, in the order of the folders.
    static let rows: [Row] =
        creationRows + transformRows + filterRows + combineRows + arityRows + recoverRows + shareRows + timeRows
        + clockRows + taskRows
        + scheduleRows + inspectRows + reduceRows + subjectRows + relayRows + bindRows + primitiveSequenceRows
        + infallibleRows + sharedSequenceRows + driverRows + signalRows + traitArityRows + eventLoopRows + streamRows

    /// Every operator once for each of its sources.
    static let cases: [Case] = rows.flatMap { row in (0..<row.sources).map { Case(row: row, position: $0) } }

    /// The cases for races, which are slow: of operators with many sources the first and the last.
    static let racingCases: [Case] = cases.filter {
        $0.row.sources <= 3 || $0.position == 0 || $0.position == $0.row.sources - 1
    }

    /// The operators of one source, which can be chained.
    static let chainable: [Case] = rows.filter { $0.chains }.map { Case(row: $0, position: 0) }
}
