// A server for features that nginx does not have: it delays each response by a fixed time, and it accepts
// bodies of any length and discards them. One thread; listens on 127.0.0.1 to 127.0.0.8.
#define _GNU_SOURCE  // For strcasestr and accept4.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MaxSockets = 1 << 17, MaxHead = 2048 };

typedef struct {
  int64_t body_left;
  int head_length;
  char *head;
} Client;

// Pending responses are in the order of their due times, which is the order of the requests.
typedef struct {
  double due;
  int socket;
} Waiting;

static Client *clients;
static Waiting *waiting;
static long first, last;
static double delay_seconds;
static int poller;

static const char response[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
    "{\"id\":7,\"title\":\"Board of forty bytes!\"}";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void send_response(int socket) { (void)!write(socket, response, sizeof response - 1); }

static void close_client(int socket) {
  Client *client = &clients[socket];
  free(client->head);
  *client = (Client){0};
  for (long i = first; i < last; i++) {
    if (waiting[i % MaxSockets].socket == socket) waiting[i % MaxSockets].socket = -1;
  }
  close(socket);
}

static void on_request(int socket) {
  if (delay_seconds == 0) {
    send_response(socket);
  } else {
    waiting[last++ % MaxSockets] = (Waiting){now() + delay_seconds, socket};
  }
}

static void on_head(int socket, char *end_of_head) {
  Client *client = &clients[socket];
  char *length = strcasestr(client->head, "\r\ncontent-length:");
  int64_t body = length ? atoll(length + 17) : 0;
  int64_t beyond = client->head_length - (end_of_head + 4 - client->head);
  int expects = strcasestr(client->head, "100-continue") != NULL;
  client->head_length = 0;
  client->body_left = body - beyond;
  if (client->body_left <= 0) {
    client->body_left = 0;
    on_request(socket);
  } else if (expects) {
    (void)!write(socket, "HTTP/1.1 100 Continue\r\n\r\n", 25);
  }
}

static void on_readable(int socket) {
  static char body[1 << 18];
  Client *client = &clients[socket];
  ssize_t count;
  if (client->body_left > 0) {
    size_t wanted = client->body_left < (int64_t)sizeof body ? client->body_left : sizeof body;
    count = read(socket, body, wanted);
    if (count > 0) {
      client->body_left -= count;
      if (client->body_left == 0) on_request(socket);
    }
  } else {
    if (!client->head) client->head = malloc(MaxHead);
    count = read(socket, client->head + client->head_length, MaxHead - 1 - client->head_length);
    if (count > 0) {
      client->head_length += count;
      client->head[client->head_length] = 0;
      char *end_of_head = strstr(client->head, "\r\n\r\n");
      if (end_of_head) {
        on_head(socket, end_of_head);
      } else if (client->head_length == MaxHead - 1) {
        count = 0;
      }
    }
  }
  if (count == 0 || (count < 0 && errno != EAGAIN)) close_client(socket);
}

static void watch(int socket, uint64_t data) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};
  epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

static void on_connection(int listener) {
  int socket;
  while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    int one = 1;
    if (socket >= MaxSockets) {
      close(socket);
      continue;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    watch(socket, socket);
  }
}

static void listen_on(int number, int port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int one = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(0x7F000000 + number)};
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 65535) < 0) {
    perror("bench-server");
    exit(1);
  }
  watch(listener, (uint64_t)listener | 1ull << 32);
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: bench-server port [milliseconds]\n");
    return 2;
  }
  delay_seconds = count > 2 ? atof(words[2]) / 1000 : 0;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  clients = calloc(MaxSockets, sizeof *clients);
  waiting = calloc(MaxSockets, sizeof *waiting);
  poller = epoll_create1(0);
  for (int number = 1; number <= 8; number++) listen_on(number, atoi(words[1]));
  printf("listening\n");
  fflush(stdout);

  static struct epoll_event events[1024];
  for (;;) {
    int ready = epoll_wait(poller, events, 1024, first < last ? 1 : -1);
    for (int i = 0; i < ready; i++) {
      int socket = (int)events[i].data.u64;
      if (events[i].data.u64 >> 32) on_connection(socket); else on_readable(socket);
    }
    for (double time = now(); first < last && waiting[first % MaxSockets].due <= time; first++) {
      int socket = waiting[first % MaxSockets].socket;
      if (socket >= 0) send_response(socket);
    }
  }
}
