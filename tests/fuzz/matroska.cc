// Where a Matroska file says that it ends.
#include "fuzz/input.h"
#include "media/video_packets.h"

namespace skinmask {
namespace {

constexpr std::string_view kSegment = "\x18\x53\x80\x67";

// A segment's ID and its length, in `bytes` bytes.
std::string Segment(std::uint64_t length, std::size_t bytes) {
  std::string text(kSegment);
  length |= std::uint64_t{1} << 7 * bytes;
  for (std::size_t i = bytes; i-- > 0;) text += static_cast<char>(length >> 8 * i);
  return text;
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  const std::string_view head = input.Rest();
  const std::int64_t end = MatroskaEnd(head);
  const std::size_t id = head.find(kSegment);
  fuzz::Require(end == 0 || (id != head.npos && end > static_cast<std::int64_t>(id)),
                "an end lies behind its segment's beginning");
  // The same input as a length.
  fuzz::Input numbers(data, size);
  const std::size_t bytes = 1 + numbers.Below(8);
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < bytes; ++i) length = length << 8 | numbers.Byte();
  const std::uint64_t unknown = (std::uint64_t{1} << 7 * bytes) - 1;
  length &= unknown;
  const std::string written = Segment(length, bytes);
  const auto expected = static_cast<std::int64_t>(written.size() + length);
  fuzz::Require(MatroskaEnd(written) == (length == unknown ? 0 : expected),
                "a length is read as it was written");
  return 0;
}
