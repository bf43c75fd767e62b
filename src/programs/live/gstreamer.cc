#include "programs/live/gstreamer.h"

#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

std::string TakeMessage(GError* error) {
  std::string text = error ? error->message : "for no reason that it tells";
  if (error) g_error_free(error);
  return text;
}

std::string TakeError(GstMessage* message) {
  GError* error = nullptr;
  gchar* details = nullptr;
  gst_message_parse_error(message, &error, &details);
  gst_message_unref(message);
  const bool format =
      details && std::string_view(details).find("not-negotiated") != std::string_view::npos;
  g_free(details);
  const std::string text = TakeMessage(error);
  return format ? text + " Its parts do not agree on a format (put videoconvert between them)"
                : text;
}

}  // namespace

GstPipeline::GstPipeline(const std::string& description, const std::string& name) : name_(name) {
  static const bool started = (gst_init(nullptr, nullptr), true);
  static_cast<void>(started);
  GError* error = nullptr;
  pipeline_.reset(
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error));
  if (!pipeline_ || error) throw Error(name_, "is no GStreamer pipeline: " + TakeMessage(error));
}

GstPipeline::~GstPipeline() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

GstRef<GstElement> GstPipeline::Find(const char* kind) const {
  GstElement* const only = pipeline_.get();
  if (!GST_IS_BIN(only)) {
    GstElementFactory* const factory = gst_element_get_factory(only);
    const bool found = factory && std::string_view(GST_OBJECT_NAME(factory)) == kind;
    return GstRef<GstElement>(found ? GST_ELEMENT(gst_object_ref(only)) : nullptr);
  }
  GstIterator* const all = gst_bin_iterate_all_by_element_factory_name(GST_BIN(only), kind);
  GValue value = G_VALUE_INIT;
  GstRef<GstElement> found;
  if (gst_iterator_next(all, &value) == GST_ITERATOR_OK) {
    found.reset(GST_ELEMENT(g_value_dup_object(&value)));
    g_value_unset(&value);
  }
  gst_iterator_free(all);
  return found;
}

void GstPipeline::Start() {
  if (gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    throw Error(name_, "does not start: " + Complaint());
}

// (Popping one type of message loses those of others before it.)
std::string GstPipeline::Complaint() {
  const GstRef<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  GstMessage* const message = gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR);
  return message ? TakeError(message) : "";
}

bool GstPipeline::WaitForEnd(double seconds) {
  const GstRef<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  GstMessage* const message =
      gst_bus_timed_pop_filtered(bus.get(), static_cast<GstClockTime>(seconds * GST_SECOND),
                                 static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (!message) return false;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    throw Error(name_, "stops: " + TakeError(message));
  gst_message_unref(message);
  return true;
}

}  // namespace skinmask::live
