// HEIC and AVIF files that are put together item by item (ISO/IEC 14496-12 and 23008-12).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skinmask::testing {

inline std::string HeifNumber(std::size_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> 8 * bytes);
  return text;
}

inline std::string HeifBox(const std::string& type, const std::string& content) {
  return HeifNumber(content.size() + 8, 4) + type + content;
}

inline std::string HeifFullBox(const std::string& type, int version, const std::string& content) {
  return HeifBox(type, HeifNumber(static_cast<std::size_t>(version) << 24, 4) + content);
}

struct HeifItem {
  std::size_t id;
  std::string type;
  std::vector<std::string> properties;  // whole boxes
  std::string data;
  std::vector<std::size_t> parts = {};  // the items that it is derived from
};

struct HeifFile {
  std::string brand;
  std::vector<HeifItem> items;
  std::size_t primary = 1;
  std::size_t past_the_end = 0;  // added to the length of each item's data

  std::string Bytes() const {
    const std::string head = HeifBox("ftyp", brand + HeifNumber(0, 4) + "mif1" + brand);
    const std::string meta = Meta(0);
    std::string data;
    for (const HeifItem& item : items) data += item.data;
    return head + Meta(head.size() + meta.size() + 8) + HeifBox("mdat", data);
  }

 private:
  std::string Meta(std::size_t start) const {
    std::string infos, places, boxes, uses, references;
    std::size_t property = 0;
    for (const HeifItem& item : items) {
      infos += HeifFullBox("infe", 2, HeifNumber(item.id, 2) + HeifNumber(0, 2) + item.type + '\0');
      places += HeifNumber(item.id, 2) + HeifNumber(0, 2) + HeifNumber(1, 2) +
                HeifNumber(start, 4) + HeifNumber(item.data.size() + past_the_end, 4);
      start += item.data.size();
      uses += HeifNumber(item.id, 2) + HeifNumber(item.properties.size(), 1);
      for (const std::string& box : item.properties) {
        boxes += box;
        uses += HeifNumber(0x8000 | ++property, 2);
      }
      if (item.parts.empty()) continue;
      std::string parts = HeifNumber(item.id, 2) + HeifNumber(item.parts.size(), 2);
      for (const std::size_t part : item.parts) parts += HeifNumber(part, 2);
      references += HeifBox("dimg", parts);
    }
    const std::string count = HeifNumber(items.size(), 2);
    const std::string ipma =
        HeifBox("ipma", HeifNumber(1, 4) + HeifNumber(items.size(), 4) + uses);  // long numbers
    return HeifFullBox("meta", 0,
                       HeifFullBox("hdlr", 0, HeifNumber(0, 4) + "pict" + std::string(13, '\0')) +
                           HeifFullBox("pitm", 0, HeifNumber(primary, 2)) +
                           HeifFullBox("iloc", 0, HeifNumber(0x4400, 2) + count + places) +
                           HeifFullBox("iinf", 0, count + infos) +
                           (references.empty() ? "" : HeifFullBox("iref", 0, references)) +
                           HeifBox("iprp", HeifBox("ipco", boxes) + ipma));
  }
};

inline std::string HeifSize(std::size_t width, std::size_t height) {
  return HeifFullBox("ispe", 0, HeifNumber(width, 4) + HeifNumber(height, 4));
}

// The data of an item of type 'grid'.
inline std::string HeifGrid(std::size_t columns, std::size_t rows, std::size_t width,
                            std::size_t height) {
  return HeifNumber(1, 2) + HeifNumber(rows - 1, 1) + HeifNumber(columns - 1, 1) +
         HeifNumber(width, 4) + HeifNumber(height, 4);
}

// The only box of that type in a file that is known to be good.
inline std::string HeifBoxIn(std::string_view file, std::string_view type) {
  const std::size_t at = file.find(type) - 4;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(file[at + i])};
  };
  return std::string(file.substr(at, byte(2) << 8 | byte(3)));
}

}  // namespace skinmask::testing
