// The module skinmask-imgcodecs.
#include <opencv2/imgcodecs.hpp>

#include "media/opencv_codecs.h"

void skinmask_imdecode(std::string_view bytes, int flags, cv::Mat& image) {
  const cv::Mat buffer(1, static_cast<int>(bytes.size()), CV_8UC1, const_cast<char*>(bytes.data()));
  image = cv::imdecode(buffer, flags);
}
