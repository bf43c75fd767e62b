// The element: its GStreamer interface. docs/gstreamer.md shows its use.
#include <gst/gst.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "judge.h"
#include "settings.h"

GST_DEBUG_CATEGORY_STATIC(skinmask_debug);
#define GST_CAT_DEFAULT skinmask_debug

namespace {

using namespace skinmask::gstreamer;
using skinmask::Output;

// Any thread may use the settings; everything else belongs to the streaming thread.
class Work {
 public:
  Settings settings() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  template <class Act>
  void Change(const Act& change) {
    const std::lock_guard lock(mutex_);
    change(settings_);
  }

  Judge judge;
  bool live = false;
  Output drawn = Output::kMask;                 // the output of the last frame
  std::atomic<GstClockTime> frame_duration{0};  // from the caps

 private:
  mutable std::mutex mutex_;
  Settings settings_;
};

}  // namespace

struct GstSkinmask {
  GstVideoFilter parent;
  Work* work;
};
struct GstSkinmaskClass {
  GstVideoFilterClass parent;
};
G_DEFINE_TYPE(GstSkinmask, gst_skinmask, GST_TYPE_VIDEO_FILTER)

namespace {

template <class Instance>
GstSkinmask* Self(Instance* instance) {
  return reinterpret_cast<GstSkinmask*>(instance);
}

// Changes settings, and announces the consequences.
template <class Instance, class Act>
void Change(Instance* element, const Act& change) {
  Work& work = *Self(element)->work;
  const Settings before = work.settings();
  work.Change(change);
  const Settings after = work.settings();
  if (after.output != before.output)
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element));
  if (after.Adapts() != before.Adapts())
    gst_element_post_message(GST_ELEMENT(element), gst_message_new_latency(GST_OBJECT(element)));
}

void SetPropertyOf(GObject* object, guint id, const GValue* value, GParamSpec*) {
  Change(object, [&](Settings& s) { SetProperty(s, id, value); });
}

void GetPropertyOf(GObject* object, guint id, GValue* value, GParamSpec*) {
  GetProperty(Self(object)->work->settings(), id, value);
}

void Finalize(GObject* object) {
  delete Self(object)->work;
  G_OBJECT_CLASS(gst_skinmask_parent_class)->finalize(object);
}

// Errors of the library are posted as one line.
gboolean Start(GstBaseTransform* base) {
  Work& work = *Self(base)->work;
  try {
    work.live = false;
    work.judge.Prepare(work.settings(), work.live);
    return TRUE;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(base, LIBRARY, SETTINGS, ("%s", LineOf(e).c_str()), (nullptr));
    return FALSE;
  }
}

gboolean Stop(GstBaseTransform* base) {
  Self(base)->work->judge = Judge();
  return TRUE;
}

// The caps of the other side: the same except for the format and the fields that depend on it.
GstCaps* TransformCaps(GstBaseTransform* base, GstPadDirection direction, GstCaps* caps,
                       GstCaps* filter) {
  // From the output's side, all output formats map to the input's. A property that changes in the
  // middle of a negotiation must not undo what it has agreed on.
  const bool from_input = direction == GST_PAD_SINK;
  const char* const drawn =
      from_input ? FormatsOf(Self(base)->work->settings().output) : kOutputFormats;
  const std::string raw = "video/x-raw,format=";
  g_autoptr(GstCaps) allowed =
      gst_caps_from_string((raw + (from_input ? kInputFormats : drawn)).c_str());
  g_autoptr(GstCaps) other =
      gst_caps_from_string((raw + (from_input ? drawn : kInputFormats)).c_str());
  g_autoptr(GstCaps) known = gst_caps_intersect_full(caps, allowed, GST_CAPS_INTERSECT_FIRST);
  const GValue* const format = gst_structure_get_value(gst_caps_get_structure(other, 0), "format");
  g_autoptr(GstCaps) result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(known); ++i) {
    GstStructure* const structure = gst_structure_copy(gst_caps_get_structure(known, i));
    gst_structure_set_value(structure, "format", format);
    gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
    result = gst_caps_merge_structure(result, structure);
  }
  return filter ? gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST)
                : gst_caps_ref(result);
}

bool IsLive(GstBaseTransform* base) {
  gboolean live = FALSE;
  g_autoptr(GstQuery) query = gst_query_new_latency();
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(base), query))
    gst_query_parse_latency(query, &live, nullptr, nullptr);
  return live;
}

// GStreamer takes YUV of an unknown matrix for BT.709 or BT.2020, by the number of its rows, and
// forgets its range. As in files it is BT.601 here.
void SetToldColors(const GstCaps* caps, GstVideoInfo* info) {
  const char* const text = gst_structure_get_string(gst_caps_get_structure(caps, 0), "colorimetry");
  GstVideoColorimetry told{};
  if (!GST_VIDEO_INFO_IS_YUV(info) || (text && !gst_video_colorimetry_from_string(&told, text)) ||
      told.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN)
    return;
  told.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  info->colorimetry = told;
}

gboolean SetInfo(GstVideoFilter* filter, GstCaps* caps, GstVideoInfo* in, GstCaps*,
                 GstVideoInfo* out) {
  SetToldColors(caps, in);
  constexpr int kUsualRate = 30;
  Work& work = *Self(filter)->work;
  const bool tells_rate = GST_VIDEO_INFO_FPS_N(in) > 0;
  const GstClockTime duration =
      gst_util_uint64_scale_int(GST_SECOND, tells_rate ? GST_VIDEO_INFO_FPS_D(in) : 1,
                                tells_rate ? GST_VIDEO_INFO_FPS_N(in) : kUsualRate);
  try {
    work.judge.SetFormats(*in, *out);
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(filter, STREAM, FORMAT, ("%s", LineOf(e).c_str()), (nullptr));
    return FALSE;
  }
  work.live = IsLive(GST_BASE_TRANSFORM(filter));
  if (work.frame_duration.exchange(duration) != duration)
    gst_element_post_message(GST_ELEMENT(filter), gst_message_new_latency(GST_OBJECT(filter)));
  return TRUE;
}

gboolean Query(GstBaseTransform* base, GstPadDirection direction, GstQuery* query) {
  GstBaseTransformClass* const parent = GST_BASE_TRANSFORM_CLASS(gst_skinmask_parent_class);
  if (!parent->query(base, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY || direction != GST_PAD_SRC) return TRUE;
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &live, &least, &most);
  // With adaptation a frame takes less than a frame's duration, or frames are dropped; without
  // adaptation it takes about a millisecond.
  const Work& work = *Self(base)->work;
  const GstClockTime own = work.settings().Adapts() ? work.frame_duration.load() : 0;
  if (GST_CLOCK_TIME_IS_VALID(most)) most += own;
  gst_query_set_latency(query, live, least + own, most);
  return TRUE;
}

// After a seek nothing that was learnt from earlier frames is valid. (This event comes in order
// with frames.)
gboolean SinkEvent(GstBaseTransform* base, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) Self(base)->work->judge.BeginScene();
  return GST_BASE_TRANSFORM_CLASS(gst_skinmask_parent_class)->sink_event(base, event);
}

// Applies property values that change with time (GstController).
void BeforeTransform(GstBaseTransform* base, GstBuffer* buffer) {
  if (base->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time =
      gst_segment_to_stream_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(base), time);
}

// Returns from settings that were refused to those in force. (If another thread has changed them
// meanwhile, the next frame tries them.)
void Refuse(GstVideoFilter* filter, Settings& settings, const std::string& line) {
  GST_ELEMENT_WARNING(filter, LIBRARY, SETTINGS, ("%s", line.c_str()),
                      ("what was set before holds"));
  const Settings refused = settings, good = Self(filter)->work->judge.prepared();
  settings.TakeStream(good);
  Change(filter, [&](Settings& s) {
    if (s.SameStream(refused)) s.TakeStream(good);
  });
}

// The OpenCV type of outputs in a format.
int TypeIn(GstVideoFormat format) {
  if (format == GST_VIDEO_FORMAT_GRAY8) return CV_8UC1;
  return format == GST_VIDEO_FORMAT_BGRA ? CV_8UC4 : CV_8UC3;
}

GstFlowReturn TransformFrame(GstVideoFilter* filter, GstVideoFrame* in, GstVideoFrame* out) {
  Work& work = *Self(filter)->work;
  Settings settings = work.settings();
  // An output of another format begins with the frame after its negotiation.
  const int type = TypeIn(GST_VIDEO_FRAME_FORMAT(out));
  const auto fits = [type](Output output) { return skinmask::TypeOf(output) == type; };
  if (fits(settings.output)) work.drawn = settings.output;
  if (!fits(work.drawn))  // of each format of the pad there is a kind of output
    work.drawn =
        std::ranges::find_if(skinmask::OutputKinds(), fits, &skinmask::OutputKind::output)->output;
  try {
    for (;;) {
      try {
        work.judge.Prepare(settings, work.live);
        work.judge.Draw(*in, work.drawn, *out);
        return GST_FLOW_OK;
      } catch (const std::exception& e) {  // a few times at most: TakeBack has nothing left then
        if (!work.judge.TakeBack(settings, work.live)) throw;
        Refuse(filter, settings, LineOf(e));
      }
    }
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(filter, LIBRARY, FAILED, ("%s", LineOf(e).c_str()), (nullptr));
    return GST_FLOW_ERROR;
  }
}

void AddPad(GstElementClass* type, const char* name, GstPadDirection direction,
            const char* formats) {
  const std::string text = std::string("video/x-raw,format=") + formats +
                           ",width=" GST_VIDEO_SIZE_RANGE ",height=" GST_VIDEO_SIZE_RANGE
                           ",framerate=" GST_VIDEO_FPS_RANGE;
  g_autoptr(GstCaps) caps = gst_caps_from_string(text.c_str());
  gst_element_class_add_pad_template(type,
                                     gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
}

}  // namespace

static void gst_skinmask_init(GstSkinmask* self) { self->work = new Work; }

static void gst_skinmask_class_init(GstSkinmaskClass* type) {
  GObjectClass* const object = G_OBJECT_CLASS(type);
  object->set_property = SetPropertyOf;
  object->get_property = GetPropertyOf;
  object->finalize = Finalize;
  skinmask::gstreamer::InstallProperties(object);
  GstElementClass* const element = GST_ELEMENT_CLASS(type);
  gst_element_class_set_static_metadata(element, "Human skin", "Filter/Effect/Video",
                                        "Finds human skin, pixel by pixel, by Bayes' rule",
                                        "The authors of skinmask");
  AddPad(element, "sink", GST_PAD_SINK, kInputFormats);
  AddPad(element, "src", GST_PAD_SRC, kOutputFormats);
  GstBaseTransformClass* const base = GST_BASE_TRANSFORM_CLASS(type);
  base->start = Start;
  base->stop = Stop;
  base->transform_caps = TransformCaps;
  base->query = Query;
  base->sink_event = SinkEvent;
  base->before_transform = BeforeTransform;
  GstVideoFilterClass* const filter = GST_VIDEO_FILTER_CLASS(type);
  filter->set_info = SetInfo;
  filter->transform_frame = TransformFrame;
}

static gboolean RegisterElement(GstPlugin* plugin) {
  GST_DEBUG_CATEGORY_INIT(skinmask_debug, "skinmask", 0, "human skin in video");
  return gst_element_register(plugin, "skinmask", GST_RANK_NONE, gst_skinmask_get_type());
}

#define PACKAGE "skinmask"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, skinmask, "Human skin in video",
                  RegisterElement, SKINMASK_VERSION, "Apache 2.0", "skinmask", "skinmask")
