// The reader of what is in a HEIC or AVIF, without a decoder: images whose tiles make the picture,
// and each is, in the file that libheif is given, what it was in its own.
#include "media/heif.h"
#include "fuzz/input.h"

namespace skinmask {
namespace {

void CheckAlone(const CodedItem& item) {
  const std::string file = HeifFileOf(item);
  const HeifPicture alone = ReadHeifPicture(file, "alone");
  fuzz::Require(alone.columns == 0 && alone.tiles.size() == 1, "a tile alone is one image");
  const CodedItem& same = alone.tiles[0];
  fuzz::Require(same.type == item.type && same.properties == item.properties,
                "a tile alone keeps its properties");
  std::string data;
  for (const std::string_view part : item.data) data += part;
  fuzz::Require(same.data.size() == 1 && same.data[0] == data, "a tile alone keeps its data");
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  HeifPicture picture;
  if (!fuzz::Succeeds([&] { picture = ReadHeifPicture(file, "heif"); })) return 0;
  fuzz::Require(!picture.tiles.empty(), "a picture has an image");
  if (picture.columns > 0) {
    const PictureSize tile = picture.tiles[0].size;
    fuzz::Require(static_cast<std::int64_t>(picture.tiles.size()) == picture.columns * picture.rows,
                  "a grid has all its tiles");
    fuzz::Require(picture.columns * tile.width >= picture.size.width &&
                      picture.rows * tile.height >= picture.size.height,
                  "tiles cover the picture");
    fuzz::Require((picture.columns - 1) * tile.width < picture.size.width &&
                      (picture.rows - 1) * tile.height < picture.size.height,
                  "each tile has a place in the picture");
  }
  std::size_t checked = 0;
  for (const CodedItem& item : picture.tiles)
    if (checked++ < 4) CheckAlone(item);
  return 0;
}
