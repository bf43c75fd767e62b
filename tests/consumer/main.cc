#include <skinmask/skinmask.h>
#include <cstdio>
#include <opencv2/core.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const cv::Mat photo = skinmask::ReadImage(argv[1]);
  const cv::Mat mask = skinmask::Detect(photo);
  std::printf("%.3f of the picture is skin\n", cv::countNonZero(mask) / double(mask.total()));
}
