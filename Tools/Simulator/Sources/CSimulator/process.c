// SPDX-License-Identifier: Apache-2.0

// A process for each program, so that each begins in the same state, and none takes others along when it ends.

#define _GNU_SOURCE
#include "CSimulator.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static rx_sim_job jobs[RX_SIM_MOST_JOBS];

static void run_again(char *const *arguments) {
    if (getenv("RX_SIM_SETTLED") != NULL) return;
    personality(ADDR_NO_RANDOMIZE);
    setenv("RX_SIM_SETTLED", "1", 1);
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    setenv("MALLOC_ARENA_MAX", "1", 1);
    setenv("SWIFT_BACKTRACE", "enable=no", 0);
    execv("/proc/self/exe", arguments);
}

static void serve(int requests, int reports, int output, void (*run)(const rx_sim_request *)) {
    static rx_sim_request request;
    while (read(requests, &request, sizeof request) == sizeof request) {
        pid_t pid = fork();
        if (pid == 0) {
            if (!request.traces) dup2(output, 2);
            dup2(output, 1);
            for (int descriptor = 3; descriptor < 256; descriptor++) close(descriptor);
            run(&request);
            _exit(0);
        }
        rx_sim_report report = {pid, -1};
        if (pid > 0 && write(reports, &report, sizeof report) != sizeof report) _exit(1);
        int status = 1 << 8;
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        report.status = WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
        if (write(reports, &report, sizeof report) != sizeof report) _exit(1);
    }
    _exit(0);
}

void rx_sim_settle(int count, char *const *arguments, void (*run)(const rx_sim_request *)) {
    run_again(arguments);
    int wanted = 2;
    for (int place = 1; place + 1 < count; place++) {
        if (strcmp(arguments[place], "--jobs") == 0) wanted = atoi(arguments[place + 1]);
    }
    for (int job = 0; job < wanted && job < RX_SIM_MOST_JOBS; job++) {
        int requests[2], reports[2], output[2];
        if (pipe(requests) != 0 || pipe(reports) != 0 || pipe(output) != 0) exit(2);
        pid_t pid = fork();
        if (pid < 0) exit(2);
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(requests[1]);
            serve(requests[0], reports[1], output[1], run);
        }
        close(requests[0]);
        close(reports[1]);
        close(output[1]);
        jobs[job] = (rx_sim_job){requests[1], reports[0], output[0]};
    }
}

rx_sim_job rx_sim_job_at(int number) { return jobs[number]; }

bool rx_sim_send(int job, const rx_sim_request *request) {
    return write(jobs[job].requests, request, sizeof *request) == sizeof *request;
}

void rx_sim_destroy_freed_memory(void) { mallopt(M_PERTURB, 165); }
