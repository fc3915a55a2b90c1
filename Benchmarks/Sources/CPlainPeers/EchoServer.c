// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE
#include "CPlainPeers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Two system calls for a message, a third one for all that are ready: no loop that waits for readiness makes fewer.

enum { MOST_EVENTS = 256, BUFFER = 16384 };

struct server {
    int epoll, listener;
};

static void accept_one(const struct server *server) {
    int descriptor = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return;
    int one = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) close(descriptor);
}

static void echo(int descriptor) {
    char buffer[BUFFER];
    ssize_t length = recv(descriptor, buffer, sizeof buffer, 0);
    // A message is small, and the client takes its echo: it is sent at once, as a whole.
    if (length > 0 && send(descriptor, buffer, (size_t)length, MSG_NOSIGNAL) == length) return;
    if (length < 0 && errno == EAGAIN) return;
    close(descriptor);
}

static void *serve(void *argument) {
    struct server server = *(struct server *)argument;
    struct epoll_event events[MOST_EVENTS];
    while (true) {
        int count = epoll_wait(server.epoll, events, MOST_EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == server.listener) accept_one(&server);
            else echo(events[i].data.fd);
        }
    }
    return NULL;
}

uint64_t plain_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

static pthread_t thread;

uint64_t plain_echo_server_time(void) {
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint16_t plain_echo_serve(int *error) {
    static struct server server;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = server.listener};
    if (bind(server.listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(server.listener, 4096) != 0
        || getsockname(server.listener, (struct sockaddr *)&address, &length) != 0
        || epoll_ctl(server.epoll, EPOLL_CTL_ADD, server.listener, &event) != 0) {
        *error = errno;
        return 0;
    }
    *error = pthread_create(&thread, NULL, serve, &server);
    return *error == 0 ? ntohs(address.sin_port) : 0;
}
#endif
