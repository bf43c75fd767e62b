#include "support/dlib_faces.h"

#include <algorithm>

#include "detect/adapt/dlib_detector.h"

namespace skinmask::testing {

std::vector<HogFace> DlibFaces(const cv::Mat& grey, double min_score) {
  static dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
  dlib::array2d<unsigned char> image(grey.rows, grey.cols);
  for (int y = 0; y < grey.rows; ++y) std::copy_n(grey.ptr(y), grey.cols, &image[y][0]);
  std::vector<dlib::rect_detection> found;
  detector(image, found, min_score);
  std::vector<HogFace> faces;
  for (const dlib::rect_detection& face : found)
    faces.push_back({face.detection_confidence, static_cast<int>(face.weight_index),
                     static_cast<int>(face.rect.left()), static_cast<int>(face.rect.top()),
                     static_cast<int>(face.rect.right()), static_cast<int>(face.rect.bottom())});
  return faces;
}

}  // namespace skinmask::testing
