// The least that any program does that turns a photograph into a file: the yardstick for start to
// end.
#include <opencv2/imgcodecs.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const cv::Mat photo = cv::imread(argv[1]);
  if (photo.empty()) return 1;
  return cv::imwrite(argv[2], photo) ? 0 : 1;
}
