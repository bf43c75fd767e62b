#include "media/decoder_messages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "skinmask/base/error.h"

namespace skinmask {

void DecoderMessage::SetText(std::string_view value) {
  // Not memcpy, which must not be given the null pointer of an empty text.
  text_size = static_cast<std::uint32_t>(value.copy(text, sizeof text));
}

std::string_view DecoderMessage::Text() const {
  return {text, std::min<std::size_t>(text_size, sizeof text)};
}

SocketPair::SocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    FailBy("a decoder", "cannot be spoken to", errno);
  one = Descriptor(ends[0]);
  other = Descriptor(ends[1]);
}

bool SendMessage(int socket, const DecoderMessage& message, int descriptor) {
  iovec part{const_cast<DecoderMessage*>(&message), sizeof message};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr envelope = {};
  envelope.msg_iov = &part;
  envelope.msg_iovlen = 1;
  if (descriptor >= 0) {
    envelope.msg_control = room;
    envelope.msg_controllen = sizeof room;
    cmsghdr* const head = CMSG_FIRSTHDR(&envelope);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  // MSG_DONTWAIT: an honest peer never leaves more than one message unread, so there is always
  // room; a dishonest peer must not make this process wait.
  const ssize_t sent = sendmsg(socket, &envelope, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(sizeof message);
}

bool ReceiveMessage(int socket, DecoderMessage& message, Descriptor& descriptor) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr envelope = {};
  envelope.msg_iov = &part;
  envelope.msg_iovlen = 1;
  envelope.msg_control = room;
  // CMSG_SPACE would have room for two descriptors.
  envelope.msg_controllen = CMSG_LEN(sizeof(int));
  ssize_t got = 0;
  while ((got = recvmsg(socket, &envelope, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  const cmsghdr* const head = got > 0 ? CMSG_FIRSTHDR(&envelope) : nullptr;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    int received = -1;
    std::memcpy(&received, CMSG_DATA(head), sizeof received);
    descriptor = Descriptor(received);
  }
  return got == static_cast<ssize_t>(sizeof message) && !(envelope.msg_flags & MSG_CTRUNC);
}

void SharedBytes::Unmap::operator()(std::uint8_t* data) const { munmap(data, size); }

std::uint8_t* SharedBytes::Get(std::size_t size) {
  if (data_ && size <= this->size()) return data_.get();
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  SharedBytes larger;
  larger.file_ = Descriptor(memfd_create("skinmask-pixels", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  size = std::max<std::size_t>(size + size / 2, 1 << 16);  // only pages that are used take memory
  if (larger.file_.get() < 0 || ftruncate(larger.file_.get(), static_cast<off_t>(size)) != 0 ||
      fcntl(larger.file_.get(), F_ADD_SEALS, kSeals) != 0 ||
      !larger.MapAll(size, PROT_READ | PROT_WRITE)) {
    if (errno == ENOMEM) throw std::bad_alloc();
    throw Error("`isolate`", std::string("cannot share memory with a decoder: ") +
                                 std::strerror(errno) + " (`isolate` none decodes without it)");
  }
  larger.is_new_ = true;
  *this = std::move(larger);
  return data_.get();
}

bool SharedBytes::Map(Descriptor file) {
  SharedBytes other;
  other.file_ = std::move(file);
  struct stat status;
  const int seals = fcntl(other.file_.get(), F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(other.file_.get(), &status) != 0) return false;
  if (!other.MapAll(static_cast<std::size_t>(status.st_size), PROT_READ)) return false;
  *this = std::move(other);
  return true;
}

bool SharedBytes::MapAll(std::size_t size, int protection) {
  void* const memory = mmap(nullptr, size, protection, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) return false;
  data_ = {static_cast<std::uint8_t*>(memory), Unmap{size}};
  return true;
}

}  // namespace skinmask
