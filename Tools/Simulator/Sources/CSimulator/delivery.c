// SPDX-License-Identifier: Apache-2.0

// What the kernel's TCP has under way between two sockets of this process. Its timers run in real time: a segment that found no room in the
// other end's buffer is sent again after 200 ms, and an acknowledgement, which makes room at the sending end, may come 40 ms late.

#include "CSimulator.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    DESCRIPTORS = 128,
    // The first segment and the last one count for a byte each.
    MARKS = 2,
};

/// One end of a connection of this process.
struct end {
    int descriptor;
    in_port_t local, remote;
    uint64_t received;
    /// Counts what waits to be sent or acknowledged, too.
    uint64_t sent;
    bool is_acknowledged;
};

static bool find_ports(struct end *end) {
    struct sockaddr_storage address;
    in_port_t *const ports[] = {&end->local, &end->remote};
    for (int side = 0; side < 2; side++) {
        socklen_t length = sizeof address;
        int status = side == 0 ? getsockname(end->descriptor, (struct sockaddr *)&address, &length)
                               : getpeername(end->descriptor, (struct sockaddr *)&address, &length);
        if (status != 0) return false;
        if (address.ss_family == AF_INET) *ports[side] = ((struct sockaddr_in *)&address)->sin_port;
        else if (address.ss_family == AF_INET6) *ports[side] = ((struct sockaddr_in6 *)&address)->sin6_port;
        else return false;
    }
    return true;
}

static bool find_end(int descriptor, struct end *end) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
    int unacknowledged = 0;
    // Fails for a socket that listens.
    if (ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0) return false;
    end->descriptor = descriptor;
    end->received = info.tcpi_bytes_received;
    end->sent = info.tcpi_bytes_acked + (uint64_t)unacknowledged;
    end->is_acknowledged = unacknowledged == 0;
    return find_ports(end);
}

/// True if there is nothing to read: a reader that leaves bytes where they are may keep the rest from coming for ever.
static bool has_read_all(const struct end *end) {
    int unread = 0;
    return ioctl(end->descriptor, FIONREAD, &unread) == 0 && unread == 0;
}

static bool is_under_way(const struct end *sender, const struct end *receiver, bool (*awaits_room)(int)) {
    if (sender->sent > receiver->received + MARKS) return has_read_all(receiver);
    return !sender->is_acknowledged && awaits_room(sender->descriptor) && has_read_all(receiver);
}

bool rx_sim_is_under_way(bool (*awaits_room)(int descriptor)) {
    struct end ends[DESCRIPTORS];
    int count = 0;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
        if (find_end(descriptor, &ends[count])) count++;
    }
    for (int sender = 0; sender < count; sender++) {
        for (int receiver = 0; receiver < count; receiver++) {
            if (ends[sender].local != ends[receiver].remote || ends[sender].remote != ends[receiver].local) continue;
            if (is_under_way(&ends[sender], &ends[receiver], awaits_room)) return true;
        }
    }
    return false;
}
