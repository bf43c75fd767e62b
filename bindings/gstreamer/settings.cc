#include "settings.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace skinmask::gstreamer {
namespace {

using Kind = OptionRow::Kind;

// The properties of DetectorTable follow, in its order.
enum Property : guint { kNone, kOutput, kModel, kSearch, kFirstOption };

template <class Value>
constexpr int Number(Value value) {
  return static_cast<int>(value);
}

// The options that are properties.
const std::vector<const OptionRow*>& Options() {
  static const std::vector<const OptionRow*> options = [] {
    std::vector<const OptionRow*> named;
    for (const OptionRow& row : DetectorTable().rows())
      if (!row.name.empty() && !row.changes_no_result) named.push_back(&row);
    return named;
  }();
  return options;
}

const OptionRow& OptionOf(guint id) { return *Options()[id - kFirstOption]; }

// The meanings and names of the values of an enumeration, from 0 on.
using Words = std::vector<std::pair<std::string, std::string>>;

// Registers an enumeration of properties.
GType EnumOf(const std::string& name, Words words) {
  // GLib refers to the values and their texts until the process ends.
  const auto& kept = *new Words(std::move(words));
  auto& values = *new std::vector<GEnumValue>;
  for (const auto& [meaning, word] : kept)
    values.push_back({Number(values.size()), meaning.c_str(), word.c_str()});
  values.push_back({0, nullptr, nullptr});
  const GType type = g_enum_register_static(name.c_str(), values.data());
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

// The enumeration of the table of outputs.
GType OutputType() {
  Words words;
  for (const OutputKind& kind : OutputKinds()) {
    const char* const format = kind.type == CV_8UC1   ? " (GRAY8)"
                               : kind.type == CV_8UC4 ? " (BGRA)"
                                                      : "";
    words.emplace_back(std::string(kind.meaning) + format, kind.name);
  }
  return EnumOf("GstSkinmaskOutput", words);
}

// The enumeration of an option's words, "GstSkinmaskAdapt" for "adapt".
GType WordsType(const OptionRow& row) {
  Words words;
  for (const std::string& word : row.words) words.emplace_back(word, word);
  std::string name = row.name;
  name[0] = g_ascii_toupper(name[0]);
  return EnumOf("GstSkinmask" + name, words);
}

GType SearchType() {
  return EnumOf("GstSkinmaskSearch",
                {{"aside in live pipelines, else wait", "auto"},
                 {"Frames wait for it; the masks are those of skinmask detect", "wait"},
                 {"On a thread of its own; what it finds counts 3 frames later", "aside"}});
}

constexpr auto kFlags = static_cast<GParamFlags>(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
constexpr auto kControllable = static_cast<GParamFlags>(kFlags | GST_PARAM_CONTROLLABLE);

// An absent number is negative.
double NumberOf(const std::string& text) {
  return text.empty() ? -1 : g_ascii_strtod(text.c_str(), nullptr);
}

GParamSpec* SpecOf(const OptionRow& row) {
  std::string name = row.name;
  std::ranges::replace(name, '_', '-');
  const DetectorOptions defaults;
  const std::string text = row.get(&defaults);
  const std::string help = row.help + (row.range && row.may_be_absent ? "; negative: default" : "");
  const char* const of = help.c_str();
  if (row.kind == Kind::kSwitch)
    return g_param_spec_boolean(name.c_str(), nullptr, of, text != row.words[0], kFlags);
  if (row.kind == Kind::kWord)
    return g_param_spec_enum(name.c_str(), nullptr, of, WordsType(row),
                             Number(OptionWord(row, text)), kFlags);
  if (row.kind == Kind::kText)
    return g_param_spec_string(name.c_str(), nullptr, of, nullptr, kFlags);
  const double least = row.may_be_absent ? -1 : row.range->least;
  return g_param_spec_double(name.c_str(), nullptr, of, least, row.range->most, NumberOf(text),
                             row.name == "threshold" ? kControllable : kFlags);
}

std::string StringOf(const GValue* value) {
  const char* const text = g_value_get_string(value);
  return text ? text : "";
}

std::string TextOf(const OptionRow& row, const GValue* value) {
  if (row.kind == Kind::kSwitch) return row.words[g_value_get_boolean(value) ? 1 : 0];
  if (row.kind == Kind::kWord) return row.words[static_cast<std::size_t>(g_value_get_enum(value))];
  if (row.kind == Kind::kText) return StringOf(value);
  const double number = g_value_get_double(value);
  return row.may_be_absent && number < 0 ? "" : OptionText(number);
}

void SetValue(const OptionRow& row, const std::string& text, GValue* value) {
  if (row.kind == Kind::kSwitch)
    g_value_set_boolean(value, text != row.words[0]);
  else if (row.kind == Kind::kWord)
    g_value_set_enum(value, Number(OptionWord(row, text)));
  else if (row.kind == Kind::kText)
    g_value_set_string(value, text.empty() ? nullptr : text.c_str());
  else
    g_value_set_double(value, NumberOf(text));
}

}  // namespace

std::string Settings::Text(const std::string& name) const {
  if (const auto set = texts.find(name); set != texts.end()) return set->second;
  return DetectorTable().Get({}, name);
}

bool Settings::Adapts() const {
  return Text("adapt") != "off" || !Text("seed_rect").empty() || !Text("seed_mask").empty();
}

DetectorOptions Settings::options() const {
  DetectorOptions options;
  for (const auto& [name, text] : texts) DetectorTable().Set(options, name, text);
  return options;
}

bool Settings::SameStream(const Settings& other) const {
  Settings same = *this;
  same.TakeStream(other);
  return same == *this;
}

void Settings::TakeStream(const Settings& other) {
  Settings taken = other;
  taken.output = output;
  taken.texts.erase("threshold");
  if (const auto set = texts.find("threshold"); set != texts.end()) taken.texts.insert(*set);
  *this = taken;
}

std::string LineOf(const std::exception& error) {
  return WithOptionNames(error.what(), [](std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
  });
}

void InstallProperties(GObjectClass* type) {
  const Settings defaults;
  const auto install = [&](guint id, GParamSpec* spec) {
    g_object_class_install_property(type, id, spec);
  };
  install(kOutput, g_param_spec_enum("output", "Output", "What comes out", OutputType(),
                                     Number(defaults.output), kFlags));
  install(kModel, g_param_spec_string(
                      "model", "Model",
                      "A file that 'skinmask train' wrote (none: the model that is built in)",
                      nullptr, kFlags));
  install(kSearch, g_param_spec_enum("search", "Search", "How faces are searched for", SearchType(),
                                     Number(defaults.search), kFlags));
  for (std::size_t i = 0; i < Options().size(); ++i)
    install(static_cast<guint>(kFirstOption + i), SpecOf(*Options()[i]));
}

void SetProperty(Settings& settings, guint id, const GValue* value) {
  if (id == kOutput) {
    settings.output = static_cast<Output>(g_value_get_enum(value));
  } else if (id == kModel) {
    settings.model = StringOf(value);
  } else if (id == kSearch) {
    settings.search = static_cast<Search>(g_value_get_enum(value));
  } else {
    const OptionRow& option = OptionOf(id);
    const DetectorOptions defaults;
    const std::string set = TextOf(option, value);
    if (set == option.get(&defaults) && !option.insists)
      settings.texts.erase(option.name);
    else
      settings.texts[option.name] = set;
  }
}

void GetProperty(const Settings& settings, guint id, GValue* value) {
  if (id == kOutput)
    g_value_set_enum(value, Number(settings.output));
  else if (id == kModel)
    g_value_set_string(value, settings.model.empty() ? nullptr : settings.model.c_str());
  else if (id == kSearch)
    g_value_set_enum(value, Number(settings.search));
  else
    SetValue(OptionOf(id), settings.Text(OptionOf(id).name), value);
}

const char* FormatsOf(Output output) {
  // The formats that sinks show, so that a sink may follow directly.
  const int type = TypeOf(output);
  if (type == CV_8UC3) return "{ BGR, BGRx, RGBx, RGB, I420, NV12, YV12, YUY2 }";
  return type == CV_8UC4 ? "{ BGRA }" : "{ GRAY8 }";
}

}  // namespace skinmask::gstreamer
