// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// The errors that programs send.
struct Failure: Error {
    var code: Int
}

/// Returns the number of an error in the log.
func code(of error: any Error) -> Int {
    switch error {
    case let failure as Failure: failure.code
    case RxError.noElements: 101
    case RxError.moreThanOneElement: 102
    case RxError.argumentOutOfRange: 103
    case RxError.timeout: 104
    case RxError.disposed: 105
    case RxError.overflow: 106
    default: 199
    }
}

/// Throws for every fourth element, or for none if `rule` is zero.
func throwing(_ rule: Int, at value: Int) throws {
    if rule > 0, value & 3 == rule - 1 { throw Failure(code: 10 + rule) }
}

func predicate(_ rule: Int, _ value: Int) -> Bool {
    switch rule {
    case 0: value % 2 == 0
    case 1: value > 2
    case 2: value < 3
    case 3: true
    default: false
    }
}

/// Returns one number made from two, different if their order is different.
func mix(_ first: Int, _ second: Int) -> Int { (first &* 10 &+ second) % 1000 }

func mixed(_ values: [Int]) -> Int { values.reduce(0, mix) }
