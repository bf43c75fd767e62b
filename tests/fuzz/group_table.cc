// Tables of groups: what was read has a cell for each column, and groups that are few and short.
#include "fuzz/input.h"
#include "skinmask/pipeline/grouping.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  GroupTable table;
  if (!fuzz::Succeeds([&] { table = ParseGroupTable(fuzz::Input(data, size).Rest(), "table"); }))
    return 0;
  fuzz::Require(!table.rows.empty() && !table.columns.empty(), "a table has rows and columns");
  for (const auto& [image, cells] : table.rows) {
    fuzz::Require(!image.empty() && cells.size() == table.columns.size(), "rows are whole");
    for (const std::string& cell : cells) fuzz::Require(cell.size() <= 100, "groups are words");
  }
  return 0;
}
