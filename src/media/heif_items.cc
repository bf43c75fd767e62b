#include "media/heif.h"

#include <algorithm>
#include <map>

#include "media/file_bytes.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// Telephones write about 300 items, of which two or three hold metadata.
constexpr std::size_t kMaxItems = 5000, kMaxMetadata = 64, kMaxTiles = 4096;
constexpr std::size_t kMaxExtents = 64, kMaxProperties = 64;
constexpr std::int64_t kMaxPadding = 1024;  // how far a tile may exceed the picture, in pixels

// A problem of the file; the caller adds the subject.
struct Unreadable {
  std::string text;
};

[[noreturn]] void FailDamaged(const char* what) {
  throw Unreadable{std::string("is a damaged HEIC or AVIF: ") + what + " (a whole file)"};
}

[[noreturn]] void FailKind(const std::string& what) {
  throw Unreadable{"is a HEIC or AVIF that " + what +
                   " (one image of H.265 or AV1, or a grid of them)"};
}

// Reads big-endian numbers sequentially.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  std::string_view Take(std::uint64_t size) {
    if (size > left_.size()) FailDamaged("a box ends too early");
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t Number(std::size_t bytes) { return BigEndian(Take(bytes)); }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

struct Box {
  std::string_view type, whole, content;
};

// The first box of a list. The last outermost box may have no length.
Box FirstBox(std::string_view all, bool outermost) {
  Reader header(all);
  std::uint64_t size = header.Number(4), header_size = kHeifBoxHeader;
  const std::string_view type = header.Take(4);
  if (size == 1) {
    size = header.Number(8);
    header_size += 8;
  } else if (size == 0 && outermost) {
    size = all.size();  // up to the end
  }
  if (size < header_size) FailDamaged("a box has no length");
  const std::string_view whole = Reader(all).Take(size);
  return {type, whole, whole.substr(static_cast<std::size_t>(header_size))};
}

std::vector<Box> BoxesOf(std::string_view bytes, std::size_t most, bool outermost = false) {
  std::vector<Box> boxes;
  while (!bytes.empty()) {
    if (boxes.size() == most) FailDamaged("it has too many boxes");
    boxes.push_back(FirstBox(bytes, outermost));
    bytes.remove_prefix(boxes.back().whole.size());
  }
  return boxes;
}

// The content of the only box of that type. Without such a box: empty, or an error if it is needed.
std::string_view Only(const std::vector<Box>& boxes, std::string_view type, bool needed = true) {
  const auto is_type = [&](const Box& box) { return box.type == type; };
  const auto count = std::ranges::count_if(boxes, is_type);
  if (count > 1) FailDamaged("a box is there twice");
  if (count == 1) return std::ranges::find_if(boxes, is_type)->content;
  if (needed) FailDamaged("a box is missing");
  return {};
}

// The version of a full box. Its flags are skipped.
std::uint64_t ReadVersion(Reader& reader) { return reader.Number(4) >> 24; }

class Items {
 public:
  explicit Items(std::string_view file) : file_(file) {
    constexpr std::size_t kMaxBoxes = 1000;
    Reader meta(Only(BoxesOf(file, kMaxBoxes, true), "meta"));
    ReadVersion(meta);
    const std::vector<Box> boxes = BoxesOf(meta.left(), kMaxBoxes);
    Reader pitm(Only(boxes, "pitm"));
    primary_ = pitm.Number(ReadVersion(pitm) == 0 ? 2 : 4);
    ReadTypes(Only(boxes, "iinf"));
    references_ = Only(boxes, "iref", false);
    ReadLocations(Only(boxes, "iloc"), Only(boxes, "idat", false));
    const std::vector<Box> iprp = BoxesOf(Only(boxes, "iprp"), kMaxBoxes);
    properties_ = BoxesOf(Only(iprp, "ipco"), kMaxItems);
    for (const Box& box : iprp)
      if (box.type == "ipma") ReadAssociations(box.content);
  }

  HeifPicture Picture() const {
    if (TypeOf(primary_) == "grid") return Grid();
    HeifPicture picture;
    picture.tiles.push_back(Coded(primary_, true));
    picture.size = picture.tiles[0].size;
    picture.profile = ProfileIn(PropertiesOf(primary_));
    return picture;
  }

 private:
  struct Association {
    std::size_t property;  // from 1; 0 for none
    bool essential;
  };

  void ReadTypes(std::string_view content) {
    Reader reader(content);
    if (reader.Number(ReadVersion(reader) == 0 ? 2 : 4) > kMaxItems)
      FailKind("has more than 5000 items");
    std::size_t metadata = 0;
    for (const Box& box : BoxesOf(reader.left(), kMaxItems)) {
      if (box.type != "infe") continue;
      Reader entry(box.content);
      const std::uint64_t version = ReadVersion(entry);
      if (version < 2) FailKind("names its items in an old way");
      const std::uint64_t id = entry.Number(version == 2 ? 2 : 4);
      entry.Number(2);  // protection
      const std::string type(entry.Take(4));
      if (!types_.emplace(id, type).second) FailDamaged("an item is there twice");
      metadata += type == "Exif" || type == "mime" || type == "uri ";
    }
    if (metadata > kMaxMetadata) FailKind("has more than 64 items about the picture");
  }

  void ReadAssociations(std::string_view content) {
    Reader reader(content);
    const std::uint64_t version = reader.Number(1), flags = reader.Number(3);
    const std::uint64_t count = reader.Number(4);
    if (count > kMaxItems) FailDamaged("it has too many properties");
    for (std::uint64_t i = 0; i < count; ++i) {
      std::vector<Association>& all = associations_[reader.Number(version == 0 ? 2 : 4)];
      for (std::uint64_t n = reader.Number(1); n > 0; --n) {
        const std::size_t bytes = flags & 1 ? 2 : 1;
        const std::uint64_t value = reader.Number(bytes), top = std::uint64_t{1} << (8 * bytes - 1);
        all.push_back({static_cast<std::size_t>(value & (top - 1)), (value & top) != 0});
      }
      if (all.size() > kMaxProperties) FailDamaged("it has too many properties");
    }
  }

  void ReadLocations(std::string_view content, std::string_view idat) {
    Reader reader(content);
    const std::uint64_t version = ReadVersion(reader), sizes = reader.Number(2);
    if (version > 2) FailKind("places its items in a way that is not known");
    const std::size_t offset_size = sizes >> 12, length_size = sizes >> 8 & 15,
                      base_size = sizes >> 4 & 15, index_size = version > 0 ? sizes & 15 : 0;
    for (const std::size_t size : {offset_size, length_size, base_size, index_size})
      if (size != 0 && size != 4 && size != 8) FailDamaged("places have no size");
    const std::uint64_t count = reader.Number(version < 2 ? 2 : 4);
    if (count > kMaxItems) FailKind("has more than 5000 items");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t id = reader.Number(version < 2 ? 2 : 4);
      const std::uint64_t method = version > 0 ? reader.Number(2) & 15 : 0;
      const std::uint64_t reference = reader.Number(2), base = reader.Number(base_size);
      const std::uint64_t extents = reader.Number(2);
      if (extents > kMaxExtents) FailKind("has an item in more than 64 pieces");
      std::vector<std::string_view>& pieces = data_[id];
      if (!pieces.empty()) FailDamaged("an item is there twice");
      bool readable = method < 2 && reference == 0;
      const std::string_view source = method == 0 ? file_ : idat;
      for (std::uint64_t n = 0; n < extents; ++n) {
        reader.Number(index_size);
        const std::uint64_t offset = reader.Number(offset_size),
                            length = reader.Number(length_size);
        const std::uint64_t start = base + offset;
        readable &= start >= base && start <= source.size() && length <= source.size() - start;
        if (readable)
          pieces.push_back(
              source.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
      }
      if (!readable) pieces.clear();
    }
  }

  std::string TypeOf(std::uint64_t id) const {
    const auto found = types_.find(id);
    if (found == types_.end()) FailDamaged("an item that is referred to is missing");
    return found->second;
  }

  const std::vector<std::string_view>& DataOf(std::uint64_t id) const {
    const auto found = data_.find(id);
    if (found == data_.end() || found->second.empty())
      FailDamaged("data of its picture are missing");
    std::size_t size = 0;
    for (const std::string_view piece : found->second) size += piece.size();
    if (size > file_.size()) FailDamaged("data of its picture are there twice");
    return found->second;
  }

  // The properties of an item that affect its pixels. Other properties are ignored if they are not
  // essential.
  std::vector<Box> PropertiesOf(std::uint64_t id) const {
    constexpr std::string_view kKnown[] = {"hvcC", "av1C", "ispe", "pixi", "colr",
                                           "pasp", "irot", "imir", "clap"};
    std::vector<Box> known;
    const auto found = associations_.find(id);
    if (found == associations_.end()) FailDamaged("an image has no properties");
    for (const Association& one : found->second) {
      if (one.property == 0) continue;
      if (one.property > properties_.size()) FailDamaged("a property is missing");
      const Box& box = properties_[one.property - 1];
      if (std::ranges::find(kKnown, box.type) != std::end(kKnown))
        known.push_back(box);
      else if (one.essential)
        FailKind("cannot be shown without properties that are not known");
    }
    return known;
  }

  static PictureSize SizeIn(const std::vector<Box>& properties) {
    Reader reader(Only(properties, "ispe"));
    ReadVersion(reader);
    const auto width = static_cast<std::int64_t>(reader.Number(4));
    return {width, static_cast<std::int64_t>(reader.Number(4))};
  }

  // The ICC profile in the colour boxes; empty if there is none.
  static std::string_view ProfileIn(const std::vector<Box>& properties) {
    for (const Box& box : properties)
      if (box.type == "colr" &&
          (box.content.starts_with("prof") || box.content.starts_with("rICC")))
        return box.content.substr(4);
    return {};
  }

  static bool Turns(const Box& box) {
    return box.type == "irot" || box.type == "imir" || box.type == "clap";
  }

  CodedItem Coded(std::uint64_t id, bool may_turn) const {
    CodedItem item;
    item.type = TypeOf(id);
    if (item.type != "hvc1" && item.type != "av01") FailKind("is made of an item of another kind");
    const std::vector<Box> properties = PropertiesOf(id);
    Only(properties, item.type == "hvc1" ? "hvcC" : "av1C");
    item.size = SizeIn(properties);
    for (const Box& box : properties) {
      if (Turns(box) && !may_turn) FailKind("turns its tiles");
      item.properties.push_back(box.whole);
    }
    item.data = DataOf(id);
    if (!item.data.empty() && EndsInZeros(item.data.back())) FailDamaged("its pixels end in zeros");
    return item;
  }

  // The images that an item is derived from.
  std::vector<std::uint64_t> PartsOf(std::uint64_t id) const {
    std::vector<std::uint64_t> parts;
    if (references_.empty()) return parts;
    Reader reader(references_);
    const std::size_t id_size = ReadVersion(reader) == 0 ? 2 : 4;
    for (const Box& box : BoxesOf(reader.left(), kMaxItems)) {
      Reader entry(box.content);
      if (entry.Number(id_size) != id || box.type != "dimg") continue;
      if (!parts.empty()) FailDamaged("its tiles are listed twice");
      const std::uint64_t count = entry.Number(2);
      if (count > kMaxTiles) FailKind("has more than 4096 tiles");
      for (std::uint64_t i = 0; i < count; ++i) parts.push_back(entry.Number(id_size));
    }
    return parts;
  }

  HeifPicture Grid() const {
    HeifPicture picture;
    std::string data;
    for (const std::string_view extent : DataOf(primary_)) data += extent.substr(0, 16);
    Reader reader(data);
    reader.Number(1);
    const std::size_t bytes = reader.Number(1) & 1 ? 4 : 2;
    picture.rows = static_cast<std::int64_t>(reader.Number(1)) + 1;
    picture.columns = static_cast<std::int64_t>(reader.Number(1)) + 1;
    const auto width = static_cast<std::int64_t>(reader.Number(bytes));
    picture.size = {width, static_cast<std::int64_t>(reader.Number(bytes))};
    const std::vector<Box> properties = PropertiesOf(primary_);
    if (SizeIn(properties) != picture.size)
      FailDamaged("its grid has another size than its header says");
    for (const Box& box : properties)
      if (Turns(box)) picture.turns.push_back(box.whole);
    const std::vector<std::uint64_t> parts = PartsOf(primary_);
    if (static_cast<std::int64_t>(parts.size()) != picture.rows * picture.columns)
      FailDamaged("its grid has not all its tiles");
    for (const std::uint64_t part : parts) picture.tiles.push_back(Coded(part, false));
    picture.profile = ProfileIn(properties);
    if (picture.profile.empty()) picture.profile = ProfileIn(PropertiesOf(parts[0]));
    CheckTiles(picture);
    return picture;
  }

  // The tiles must have one size, cover the picture, and each contribute to it.
  static void CheckTiles(const HeifPicture& picture) {
    const PictureSize tile = picture.tiles[0].size;
    for (const CodedItem& each : picture.tiles)
      if (each.size != tile) FailDamaged("its tiles are of several sizes");
    const auto covers = [](std::int64_t count, std::int64_t each, std::int64_t all) {
      return each > 0 && (count - 1) * each < all && count * each >= all &&
             each <= all + kMaxPadding;
    };
    if (!covers(picture.columns, tile.width, picture.size.width) ||
        !covers(picture.rows, tile.height, picture.size.height))
      FailDamaged("its tiles do not make its picture");
  }

  std::string_view file_, references_;
  std::uint64_t primary_ = 0;
  std::map<std::uint64_t, std::string> types_;
  std::map<std::uint64_t, std::vector<Association>> associations_;
  std::map<std::uint64_t, std::vector<std::string_view>> data_;  // no pieces: it is unreadable
  std::vector<Box> properties_;
};

}  // namespace

HeifPicture ReadHeifPicture(std::string_view file, std::string_view subject) {
  try {
    return Items(file).Picture();
  } catch (const Unreadable& problem) {
    throw Error(subject, problem.text);
  }
}

}  // namespace skinmask
