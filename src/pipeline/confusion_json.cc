#include "pipeline/confusion_json.h"

#include <utility>

namespace skinmask {
namespace {

constexpr std::pair<const char*, std::uint64_t Confusion::*> kCounts[] = {
    {"tp", &Confusion::tp}, {"fp", &Confusion::fp}, {"fn", &Confusion::fn}, {"tn", &Confusion::tn}};

}  // namespace

Json JsonOf(const Confusion& counts) {
  Json json;
  for (const auto& [name, member] : kCounts) json[name] = counts.*member;
  return json;
}

Confusion ReadConfusion(const JsonNode& node, std::uint64_t most) {
  Confusion counts;
  for (const auto& [name, member] : kCounts)
    if ((counts.*member = node[name].Count()) > most) node[name].Fail(" is too large");
  return counts;
}

ClassCounts ReadClassCounts(const JsonNode& node, std::uint64_t pixels) {
  ClassCounts classes;
  for (const JsonNode& name : node["classes"].Items()) classes.classes.push_back(name.Text());
  const std::size_t size = classes.classes.size();
  for (const JsonNode& row : node["counts"].Items())
    for (const JsonNode& count : row.Items()) {
      classes.counts.push_back(count.Count());
      if (classes.counts.back() > pixels) count.Fail(" is more than all pixels");
      pixels -= classes.counts.back();
    }
  if (size == 0 || size > kMaxClasses || classes.counts.size() != size * size)
    node.Fail(" has not a count for each two classes");
  return classes;
}

}  // namespace skinmask
