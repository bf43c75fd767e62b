// A port of this machine that nobody should call.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace skinmask::testing {

class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // "http://127.0.0.1:PORT"
  std::string Address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  bool WasCalled() const { return accept(socket_, nullptr, nullptr) >= 0; }

 private:
  int socket_, port_ = 0;
};

// A port of UDP, on which nothing listens nor sends.
inline int SilentPort() {
  const int found = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(found, reinterpret_cast<sockaddr*>(&address), size), 0);
  getsockname(found, reinterpret_cast<sockaddr*>(&address), &size);
  close(found);
  return ntohs(address.sin_port);
}

}  // namespace skinmask::testing
