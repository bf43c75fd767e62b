// What was measured of a picture.
#include <cstddef>
#include <string>

#include "c/guard.h"
#include "c/handles.h"

namespace {

using skinmask::ColorSums;
using skinmask::MeasuredFace;
using skinmask::c::BadArgument;
using skinmask::c::Guarded;
using skinmask::c::RequireGiven;

skinmask_means MeansOf(const ColorSums& sums) {
  skinmask_means means{sums.pixels, {}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    means.mean[i] = sums.Mean(2 - i);  // which are of blue, green and red
    means.sd[i] = sums.Deviation(2 - i);
  }
  return means;
}

const MeasuredFace& FaceOf(const skinmask_measurement& measurement, std::size_t index) {
  const auto& faces = measurement.measurement.faces;
  if (index >= faces.size())
    throw BadArgument("index", "is " + std::to_string(index) + ", and there are " +
                                   std::to_string(faces.size()) + " faces (from 0)");
  return faces[index];
}

}  // namespace

extern "C" {

skinmask_status skinmask_measurement_skin(const skinmask_measurement* measurement,
                                          skinmask_means* means) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(means, "means");
    *means = MeansOf(measurement->measurement.skin);
  });
}

size_t skinmask_measurement_faces(const skinmask_measurement* measurement) {
  return measurement ? measurement->measurement.faces.size() : 0;
}

skinmask_status skinmask_measurement_face(const skinmask_measurement* measurement, size_t index,
                                          skinmask_face* face) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(face, "face");
    const skinmask::Face& of = FaceOf(*measurement, index).face;
    *face = {of.id, of.box.x, of.box.y, of.box.width, of.box.height, of.frame.TiltDegrees()};
  });
}

skinmask_status skinmask_measurement_part(const skinmask_measurement* measurement, size_t index,
                                          int part, skinmask_means* means) {
  return Guarded([&] {
    RequireGiven(measurement, "measurement");
    RequireGiven(means, "means");
    if (part < 0 || static_cast<std::size_t>(part) >= skinmask::kFaceParts)
      throw BadArgument("part", "is " + std::to_string(part) + " (a skinmask_part)");
    *means = MeansOf(FaceOf(*measurement, index).parts[static_cast<std::size_t>(part)]);
  });
}

void skinmask_measurement_free(skinmask_measurement* measurement) { delete measurement; }

}  // extern "C"
