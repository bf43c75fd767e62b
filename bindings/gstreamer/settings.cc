#include "settings.h"

#include <vector>

namespace skinmask::gstreamer {
namespace {

enum Property : guint {
  kNone,
  kOutput,
  kModel,
  kFaces,
  kAdapt,
  kSearch,
  kRefine,
  kThreshold,
  kPrior,
};

using Adapt = DetectorOptions::Adapt;

template <class Value>
constexpr int Number(Value value) {
  return static_cast<int>(value);
}

// Of the table of outputs; all of it lives as long as the process.
GType OutputType() {
  static const GType type = [] {
    auto* const values = new std::vector<GEnumValue>;
    for (const OutputKind& kind : OutputKinds()) {
      const char* const format = kind.type == CV_8UC1   ? " (GRAY8)"
                                 : kind.type == CV_8UC4 ? " (BGRA)"
                                                        : "";
      auto* const text = new std::string(std::string(kind.meaning) + format);
      values->push_back({Number(kind.output), text->c_str(), kind.name.data()});
    }
    values->push_back({0, nullptr, nullptr});
    return g_enum_register_static("GstSkinmaskOutput", values->data());
  }();
  return type;
}

// The names are literals, which end with a 0.
GType AdaptType() {
  static const GEnumValue kValues[] = {
      {Number(Adapt::kAuto), "To faces, or else to the colours of each frame",
       AdaptName(Adapt::kAuto).data()},
      {Number(Adapt::kFaces), "To faces alone", AdaptName(Adapt::kFaces).data()},
      {Number(Adapt::kOff), "The model as it was trained: the fastest",
       AdaptName(Adapt::kOff).data()},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstSkinmaskAdapt", kValues);
  return type;
}

GType SearchType() {
  static const GEnumValue kValues[] = {
      {Number(Search::kAuto), "aside in live pipelines, else wait", "auto"},
      {Number(Search::kWait), "Frames wait for it; the masks are those of skinmask detect", "wait"},
      {Number(Search::kAside), "On a thread of its own; what it finds counts 3 frames later",
       "aside"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstSkinmaskSearch", kValues);
  return type;
}

constexpr auto kFlags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                 GST_PARAM_MUTABLE_PLAYING);
constexpr auto kControllable = static_cast<GParamFlags>(kFlags | GST_PARAM_CONTROLLABLE);

}  // namespace

bool Settings::SameStream(const Settings& other) const {
  Settings same = other;
  same.output = output;
  same.threshold = threshold;
  return *this == same;
}

void InstallProperties(GObjectClass* type) {
  const Settings defaults;
  const auto install = [&](Property id, GParamSpec* spec) {
    g_object_class_install_property(type, id, spec);
  };
  install(kOutput, g_param_spec_enum("output", "Output", "What comes out", OutputType(),
                                     Number(defaults.output), kFlags));
  install(kModel, g_param_spec_string(
                      "model", "Model",
                      "A file that 'skinmask train' wrote (none: the model that is built in)",
                      nullptr, kFlags));
  install(kFaces, g_param_spec_string(
                      "faces", "Faces",
                      "A file of YuNet's (ONNX), which finds more faces in less time (none: the "
                      "finder that is built in)",
                      nullptr, kFlags));
  install(kAdapt, g_param_spec_enum("adapt", "Adapt", "What the model is adapted to", AdaptType(),
                                    Number(defaults.adapt), kFlags));
  install(kSearch, g_param_spec_enum("search", "Search", "How faces are searched for", SearchType(),
                                     Number(defaults.search), kFlags));
  install(kRefine,
          g_param_spec_boolean("refine", "Refine",
                               "Neighbouring pixels help each other, where faces were found",
                               defaults.refine, kFlags));
  install(kThreshold,
          g_param_spec_double("threshold", "Threshold",
                              "P(skin) above which a pixel is skin (negative: the model's own)", -1,
                              1, defaults.threshold, kControllable));
  install(kPrior, g_param_spec_double(
                      "prior", "Prior",
                      "P(skin) of any pixel, above 0 and below 1 (negative: the model's own)", -1,
                      1, defaults.prior, kFlags));
  for (const GType of_enum : {OutputType(), AdaptType(), SearchType()})
    gst_type_mark_as_plugin_api(of_enum, static_cast<GstPluginAPIFlags>(0));
}

bool SetProperty(Settings& settings, guint id, const GValue* value) {
  const auto text = [&] {
    const char* const given = g_value_get_string(value);
    return std::string(given ? given : "");
  };
  switch (id) {
    case kOutput:
      settings.output = static_cast<Output>(g_value_get_enum(value));
      return true;
    case kModel:
      settings.model = text();
      return true;
    case kFaces:
      settings.faces = text();
      return true;
    case kAdapt:
      settings.adapt = static_cast<Adapt>(g_value_get_enum(value));
      return true;
    case kSearch:
      settings.search = static_cast<Search>(g_value_get_enum(value));
      return true;
    case kRefine:
      settings.refine = g_value_get_boolean(value);
      return true;
    case kThreshold:
      settings.threshold = g_value_get_double(value);
      return true;
    case kPrior:
      settings.prior = g_value_get_double(value);
      return true;
    default:
      return false;
  }
}

bool GetProperty(const Settings& settings, guint id, GValue* value) {
  const auto set_text = [&](const std::string& text) {
    g_value_set_string(value, text.empty() ? nullptr : text.c_str());
  };
  switch (id) {
    case kOutput:
      g_value_set_enum(value, Number(settings.output));
      return true;
    case kModel:
      set_text(settings.model);
      return true;
    case kFaces:
      set_text(settings.faces);
      return true;
    case kAdapt:
      g_value_set_enum(value, Number(settings.adapt));
      return true;
    case kSearch:
      g_value_set_enum(value, Number(settings.search));
      return true;
    case kRefine:
      g_value_set_boolean(value, settings.refine);
      return true;
    case kThreshold:
      g_value_set_double(value, settings.threshold);
      return true;
    case kPrior:
      g_value_set_double(value, settings.prior);
      return true;
    default:
      return false;
  }
}

const char* FormatsOf(Output output) {
  // Of the formats that sinks show, so that one may follow at once.
  const int type = TypeOf(output);
  if (type == CV_8UC3) return "{ BGR, BGRx, RGBx, RGB, I420, NV12, YV12, YUY2 }";
  return type == CV_8UC4 ? "{ BGRA }" : "{ GRAY8 }";
}

}  // namespace skinmask::gstreamer
