// What sources and sinks of GStreamer share.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

namespace skinmask::live {

struct GstUnref {
  void operator()(void* object) const { gst_object_unref(object); }
};
template <class T>
using GstRef = std::unique_ptr<T, GstUnref>;

// A pipeline as gst-launch takes it, which is stopped with its last use. Errors are of `name`.
class GstPipeline {
 public:
  GstPipeline(const std::string& description, const std::string& name);
  ~GstPipeline();
  GstPipeline(const GstPipeline&) = delete;
  GstPipeline& operator=(const GstPipeline&) = delete;

  GstElement* get() const { return pipeline_.get(); }
  // The first element of a kind ("appsink"); null where there is none.
  GstRef<GstElement> Find(const char* kind) const;
  void Start();
  // What the pipeline's first error says; empty where there is none.
  std::string Complaint();
  // Waits for all to have gone through; false where it took longer. Throws Error where it failed.
  bool WaitForEnd(double seconds);

 private:
  std::string name_;
  GstRef<GstElement> pipeline_;
};

}  // namespace skinmask::live
