// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import RxSwift

// The chain of the 12-stage rows: map and filter in turns, so that no peer can fuse two neighbours. Each map adds 1
// and each filter lets everything through, so 6 is added to every value.

@inline(__always)
func twelveStages<Source: ObservableType>(_ source: Source) -> Observable<Int> where Source.Element == Int {
    let four = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 1 }
    let eight = four.map { $0 &+ 1 }.filter { $0 >= 2 }.map { $0 &+ 1 }.filter { $0 >= 3 }
    return eight.map { $0 &+ 1 }.filter { $0 >= 4 }.map { $0 &+ 1 }.filter { $0 >= 5 }
}

@inline(__always)
func twelveStages<Source: Publisher>(
    _ source: Source
) -> some Publisher<Int, Never> where Source.Output == Int, Source.Failure == Never {
    let four = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &+ 1 }.filter { $0 >= 1 }
    let eight = four.map { $0 &+ 1 }.filter { $0 >= 2 }.map { $0 &+ 1 }.filter { $0 >= 3 }
    return eight.map { $0 &+ 1 }.filter { $0 >= 4 }.map { $0 &+ 1 }.filter { $0 >= 5 }
}
