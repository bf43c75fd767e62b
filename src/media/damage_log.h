// What FFmpeg tells of damage in its log alone.
#pragma once

#include "media/ffmpeg.h"

namespace skinmask {

// While it lives, notes what FFmpeg logs in this thread. Demuxers of containers that can be entered
// anywhere (Matroska, FLV, Ogg, ...) pass over what they cannot read, and some decoders hand out
// pictures of which a part is missing; neither says so by a result or a flag. At most one lives in
// a thread.
class DamageLog {
 public:
  DamageLog();
  ~DamageLog();
  DamageLog(const DamageLog&) = delete;
  DamageLog& operator=(const DamageLog&) = delete;

  bool container = false;  // a demuxer passed over something
  bool picture = false;    // a decoder lacks something

  // FFmpeg's log from now on: it prints nothing, unless the program that uses this library raises
  // the level of the log later.
  static void Install(const Ffmpeg& av);
};

}  // namespace skinmask
