// Prints kKept of src/detect/embed_detector.cc, for the second moments of the features of the
// photographs in FOLDER:
//   hog_projection FOLDER
// (the scenes without people, so that nobody's photograph is behind it),
// and what the kept channels leave out of a template's score, as a standard deviation.
#include <Eigen/Dense>
#include <cstdio>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/dlib_detector.h"

namespace {

constexpr int kFeatures = 31, kTemplates = 5, kCells = 100, kKept = 4;
using Square = Eigen::Matrix<double, kFeatures, kFeatures>;

Eigen::MatrixXd Weights() {
  const dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
  Eigen::MatrixXd weights(kFeatures, kTemplates * kCells);
  for (int t = 0; t < kTemplates; ++t)
    for (int f = 0; f < kFeatures; ++f)
      for (int cell = 0; cell < kCells; ++cell)
        weights(f, t * kCells + cell) = detector.get_w(t)(f * kCells + cell);
  return weights;
}

Eigen::MatrixXd FeaturesOf(const cv::Mat& grey) {
  dlib::array2d<unsigned char> image(grey.rows, grey.cols);
  for (int y = 0; y < grey.rows; ++y) std::copy_n(grey.ptr(y), grey.cols, &image[y][0]);
  dlib::array<dlib::array2d<float>> planes;
  dlib::extract_fhog_features(image, planes, 8, 1, 1);
  const long rows = planes[0].nr(), columns = planes[0].nc();
  Eigen::MatrixXd features(kFeatures, rows * columns);
  for (int f = 0; f < kFeatures; ++f)
    for (long i = 0; i < rows * columns; ++i)
      features(f, i) = planes[static_cast<unsigned long>(f)][i / columns][i % columns];
  return features;
}

Square SecondMoments(const char* folder) {
  Square sum = Square::Zero();
  Eigen::Index count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const cv::Mat image = cv::imread(entry.path().string(), cv::IMREAD_GRAYSCALE);
    for (const double scale : {2., 1., .5}) {
      if (image.empty()) continue;
      cv::Mat grey;
      cv::resize(image, grey, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
      const Eigen::MatrixXd features = FeaturesOf(grey);
      sum += features * features.transpose();
      count += features.cols();
    }
  }
  return sum / static_cast<double>(count) + 1e-6 * Square::Identity();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Square root = Eigen::SelfAdjointEigenSolver<Square>(SecondMoments(argv[1])).operatorSqrt();
  const Eigen::MatrixXd whitened = root * Weights();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(whitened, Eigen::ComputeThinU);
  const Eigen::MatrixXd kept = svd.matrixU().leftCols(kKept).transpose() * root;
  for (int c = 0; c < kKept; ++c) {
    std::printf("    {");
    for (int f = 0; f < kFeatures; ++f) std::printf("%.5f%s", kept(c, f), f < 30 ? ", " : "},\n");
  }
  const auto tail = svd.singularValues().tail(kFeatures - kKept);
  std::printf("// left out: %.3f\n", std::sqrt(tail.squaredNorm() / kTemplates));
}
