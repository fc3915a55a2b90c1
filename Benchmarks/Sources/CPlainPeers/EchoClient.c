// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE
#include "CPlainPeers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int descriptor;
    // The number of bytes of the echo that have come.
    size_t received;
    uint64_t sent_at;
    uint64_t message[PLAIN_ECHO_MESSAGE / sizeof(uint64_t)];
    uint64_t echo[PLAIN_ECHO_MESSAGE / sizeof(uint64_t)];
};

struct plain_echo_client {
    int epoll;
    size_t count;
    struct connection *connections;
};

// One run: the index of the next message, and the counts of the echoes.
struct run {
    size_t started, finished, messages;
    int64_t right;
    uint64_t *samples;
};

static int connect_to(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return -errno;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    // A server that has gone silent ends the run rather than hanging it.
    struct timeval limit = {.tv_sec = 10};
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0
        || setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0
        || setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

plain_echo_client *plain_echo_open(uint16_t port, size_t connections, int *error) {
    plain_echo_client *client = calloc(1, sizeof *client);
    client->connections = calloc(connections, sizeof *client->connections);
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (client->epoll < 0) {
        *error = errno;
        plain_echo_close(client);
        return NULL;
    }
    for (; client->count < connections; client->count++) {
        struct connection *connection = &client->connections[client->count];
        connection->descriptor = connect_to(port);
        if (connection->descriptor < 0) {
            *error = -connection->descriptor;
            plain_echo_close(client);
            return NULL;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(client->epoll, EPOLL_CTL_ADD, connection->descriptor, &event);
    }
    return client;
}

void plain_echo_close(plain_echo_client *client) {
    for (size_t place = 0; place < client->count; place++) {
        close(client->connections[place].descriptor);
    }
    if (client->epoll >= 0) {
        close(client->epoll);
    }
    free(client->connections);
    free(client);
}

// Sends the next message, if there is one. Returns 0 or a negated errno.
static int64_t send_next(struct connection *connection, struct run *run, uint64_t now) {
    if (run->started == run->messages) {
        return 0;
    }
    connection->received = 0;
    connection->sent_at = now;
    connection->message[0] = ++run->started;
    ssize_t sent = send(connection->descriptor, connection->message, PLAIN_ECHO_MESSAGE, MSG_NOSIGNAL);
    return sent == PLAIN_ECHO_MESSAGE ? 0 : sent < 0 ? -errno : -EIO;
}

// Reads the available bytes, and answers a whole echo with the next message. Returns 0 or a negated errno.
static int64_t receive(struct connection *connection, struct run *run, int flags) {
    char *place = (char *)connection->echo + connection->received;
    ssize_t count = recv(connection->descriptor, place, PLAIN_ECHO_MESSAGE - connection->received, flags);
    if (count <= 0) {
        return count == 0 ? -ECONNRESET : errno == EAGAIN ? (flags == 0 ? -ETIMEDOUT : 0) : -errno;
    }
    connection->received += (size_t)count;
    if (connection->received < PLAIN_ECHO_MESSAGE) {
        return 0;
    }
    uint64_t now = 0;
    if (run->samples != NULL) {
        now = plain_now();
        run->samples[run->finished] = now - connection->sent_at;
    }
    run->finished++;
    run->right += memcmp(connection->message, connection->echo, PLAIN_ECHO_MESSAGE) == 0;
    return send_next(connection, run, now);
}

int64_t plain_echo_run(plain_echo_client *client, size_t messages, uint64_t *samples) {
    struct run run = {.messages = messages, .samples = samples};
    for (size_t place = 0; place < client->count; place++) {
        int64_t status = send_next(&client->connections[place], &run, samples != NULL ? plain_now() : 0);
        if (status < 0) {
            return status;
        }
    }
    while (run.finished < messages) {
        // A single connection needs no epoll.
        if (client->count == 1) {
            int64_t status = receive(client->connections, &run, 0);
            if (status < 0) {
                return status;
            }
            continue;
        }
        struct epoll_event events[64];
        int ready = epoll_wait(client->epoll, events, 64, 10000);
        if (ready <= 0) {
            if (ready < 0 && errno == EINTR) {
                continue;
            }
            return ready == 0 ? -ETIMEDOUT : -errno;
        }
        for (int place = 0; place < ready; place++) {
            int64_t status = receive(events[place].data.ptr, &run, MSG_DONTWAIT);
            if (status < 0) {
                return status;
            }
        }
    }
    return run.right;
}
#endif
