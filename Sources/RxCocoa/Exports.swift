// SPDX-License-Identifier: Apache-2.0

// As in RxSwift, where importing RxCocoa is enough to use relays.
@_exported public import RxRelay
