// SPDX-License-Identifier: Apache-2.0

// Signals of the whole process, counted for those who observe them.

#ifndef RX_SIGNALS_H
#define RX_SIGNALS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Someone who observes a signal.
typedef struct rx_signal_watch rx_signal_watch;

/// Has every delivery of a signal add 1 to an eventfd, until `rx_signal_unwatch`. Null, with errno in `*error`, if that signal cannot be
/// observed. From any thread.
///
/// Installs a handler for the process, unless it is there already, which calls the one that was there before.
rx_signal_watch *rx_signal_watch_make(int signal, int eventfd, int *error);
/// Nothing is written to the eventfd any more when this returns. The last one restores what was there before. From any thread.
void rx_signal_unwatch(rx_signal_watch *watch);

/// Lets the calling thread take this signal, unless it is SIGPIPE, as long as it is called more often than its counterpart.
void rx_signal_admit(int signal);
/// The signal is blocked again if it was blocked before the first `rx_signal_admit`. On the same thread.
void rx_signal_dismiss(int signal);

#ifdef __cplusplus
}
#endif

#endif
