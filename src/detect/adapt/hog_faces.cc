#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>
#include <span>

#include "detect/adapt/hog_boxes.h"
#include "detect/adapt/hog_search.h"
#include "detect/adapt/pool.h"
#include "detect/adapt/resample.h"
#include "media/picture_type.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

namespace {

// The shares of red and of blue in the middle of a face. They differ less between people of one
// picture than between a face and a false detection.
struct FaceColor {
  double red, blue;
};

FaceColor ColorOf(const cv::Mat& bgr, const HogFace& face, double scale_x, double scale_y) {
  const double width = (face.right - face.left) * scale_x;
  const double height = (face.bottom - face.top) * scale_y;
  const cv::Rect middle(static_cast<int>(face.left * scale_x + .25 * width),
                        static_cast<int>(face.top * scale_y + .3 * height),
                        std::max(static_cast<int>(.5 * width), 1),
                        std::max(static_cast<int>(.5 * height), 1));
  const cv::Scalar sum = cv::sum(bgr(middle & cv::Rect({}, bgr.size())));
  const double all = std::max(sum[0] + sum[1] + sum[2], 1.);
  return {sum[2] / all, sum[0] / all};
}

bool IsLikeOne(const FaceColor& color, const std::vector<FaceColor>& others) {
  constexpr double kNear = .04;
  return std::any_of(others.begin(), others.end(), [&](const FaceColor& other) {
    const double red = color.red - other.red, blue = color.blue - other.blue;
    return red * red + blue * blue < kNear * kNear;
  });
}

// A version of the picture that is searched, with a threshold of the score, and the map from its
// pixels to those of the original.
struct Look {
  cv::Mat picture;
  double least;
  cv::Matx23d there;
  double scale_x, scale_y;   // pixels of the original per pixel of this picture
  int patterns = 0;          // added to HogFace::pattern
  bool is_of_crowd = false;  // faces are searched that are small beside others
  double least_size = 0;     // of a face, in pixels of the original
};

// `grey` reduced, and padded with its border pixels by `padding` of its shorter side.
Look ReducedLook(Reductions& grey, double scale, double padding, double least) {
  const cv::Size size = SizeTimes(grey.size(), scale);
  const int border = cvRound(padding * std::min(size.width, size.height));
  const double x = 1. * grey.size().width / size.width, y = 1. * grey.size().height / size.height;
  Look look{grey.AreaMeans(size), least, {x, 0, -border * x, 0, y, -border * y}, x, y};
  cv::copyMakeBorder(look.picture, look.picture, border, border, border, border,
                     cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
  return look;
}

// `small`, a reduction of a picture of size `whole`, turned by kHogTurns[turn].
Look Turned(const cv::Mat& small, const cv::Size& whole, int turn, double least) {
  const cv::Size size = small.size();
  const double x = 1. * whole.width / size.width, y = 1. * whole.height / size.height;
  const double c = kHogTurns[turn].cosine, s = kHogTurns[turn].sine;
  const cv::Size around(cvRound(size.width * std::abs(c) + size.height * std::abs(s)),
                        cvRound(size.width * std::abs(s) + size.height * std::abs(c)));
  // Maps the centre of a pixel to its place in the picture before the turn; the centres of both
  // pictures coincide.
  const double half_x = (around.width - 1) / 2., half_y = (around.height - 1) / 2.;
  const cv::Matx23d back(c, -s, (size.width - 1) / 2. - c * half_x + s * half_y,  //
                         s, c, (size.height - 1) / 2. - s * half_x - c * half_y);
  return {Warped(small, back, around), least, cv::Matx22d(x, 0, 0, y) * back, x, y,
          turn * kHogPatterns};
}

cv::Point MiddleOf(const HogFace& face) {
  return {(face.left + face.right) / 2, (face.top + face.bottom) / 2};
}

bool Holds(const HogFace& face, const cv::Point& p) {
  return p.x > face.left && p.x < face.right && p.y > face.top && p.y < face.bottom;
}

// Indices into kHogTurns.
constexpr int kTiltTurns[] = {1, 2}, kLyingTurns[] = {3, 4, 5};

class HogFaces : public SeedFinder {
 public:
  explicit HogFaces(const HogOptions& options) : options_(options) { options_.Validate(); }

  std::string_view name() const override { return "hog"; }

  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const cv::Mat grey = Searched(bgr, ScaleOf(bgr.size(), options_.min_searched_pixels));
    if (grey.empty()) return {};
    const double scale_x = static_cast<double>(bgr.cols) / grey.cols;
    const double scale_y = static_cast<double>(bgr.rows) / grey.rows;
    const auto color = [&](const HogFace& face) { return ColorOf(bgr, face, scale_x, scale_y); };
    std::vector<HogFace> windows = Windows(grey);
    std::vector<std::vector<HogFace>> found = GroupsOf(windows);
    const auto faces =
        std::ranges::count_if(found, [&](const auto& group) { return IsFace(group.front()); });
    if (faces >= kCrowd && AddCrowd(bgr, grey.size(), windows)) found = GroupsOf(windows);
    std::vector<FaceColor> certain;
    for (const auto& group : found)
      if (IsFace(group.front())) certain.push_back(color(group.front()));
    std::vector<Seed> seeds;
    for (const auto& group : found) {
      const HogFace& best = group.front();
      if (!IsFace(best, options_.further_slack)) continue;
      if (!IsFace(best) && !IsLikeOne(color(best), certain)) continue;
      const FaceFrame face = FrameOfGroup(group, scale_x, scale_y, bgr.size());
      if (const cv::Rect box = face.Box(bgr.size()); !box.empty()) seeds.push_back({box, face, {}});
    }
    return seeds;
  }

 private:
  bool IsFace(const HogFace& face, double slack = 0) const {
    const double least = face.pattern < kFirstTiltedHog
                             ? options_.min_score
                             : std::max(options_.min_score, options_.min_tilted_score);
    return face.score >= least - slack;
  }

  static constexpr std::ptrdiff_t kCrowd = 3;

  // Searches once more for the smaller faces of a crowd. False if the first search was at about
  // this size.
  bool AddCrowd(const cv::Mat& bgr, const cv::Size& searched, std::vector<HogFace>& windows) const {
    constexpr double kLarger = 1.25;
    const double scale =
        ScaleOf(bgr.size(), std::min(options_.crowd_pixels, options_.max_searched_pixels));
    if (scale * scale * static_cast<double>(bgr.total()) < kLarger * searched.area()) return false;
    const cv::Mat grey = Searched(bgr, scale);
    const double x = static_cast<double>(searched.width) / grey.cols;
    const double y = static_cast<double>(searched.height) / grey.rows;
    AddFound({{grey, LeastScore(), {x, 0, 0, 0, y, 0}, x, y, 0, true}}, searched, windows);
    return true;
  }

  // Windows that may be faces, in pixels of `grey`.
  std::vector<HogFace> Windows(const cv::Mat& grey) const {
    const cv::Size size = grey.size();
    Reductions reductions(grey);
    std::vector<Look> looks{{grey, LeastScore(), cv::Matx23d::eye(), 1, 1}};
    if (options_.padding > 0) {
      const double scale = std::min(
          1., options_.close_up_side / static_cast<double>(std::min(grey.cols, grey.rows)));
      looks.push_back(ReducedLook(reductions, scale, options_.padding, options_.min_score));
    }
    std::vector<HogFace> windows, tilted;
    AddFound(looks, size, windows);
    looks.clear();
    AddTurned(kTiltTurns, reductions, LeastScore(), looks);
    const double least_size = options_.min_relative_size * LargestOf(windows, Certain());
    for (Look& look : looks) look.least_size = least_size;
    AddFound(looks, size, tilted);
    // The levels of its pyramid lie between those of the first search.
    const double again = std::sqrt(options_.again_pixels / static_cast<double>(grey.total()));
    if (again < 1 && !ShowsFace(windows))
      AddFound({ReducedLook(reductions, again, 0, LeastScore())}, size, windows);
    // Heads that are tilted by more than the templates, unless an upright face was found there.
    std::erase_if(tilted, [&](const HogFace& face) {
      return std::ranges::any_of(windows, [&](const HogFace& upright) {
        return IsFace(upright) && Holds(upright, MiddleOf(face));
      });
    });
    Append(tilted, windows);
    if (options_.turned_pixels == 0) return windows;
    // Faces in the shade, or in front of a bright window, have little contrast.
    if (!ShowsFace(windows)) {
      Look look =
          ReducedLook(reductions, ScaleOfTurned(size), options_.padding, options_.min_score);
      look.picture = Equalized(look.picture);
      AddFound({look}, size, windows);
    }
    // Photographs that lie on their side, and people who lie.
    if (!ShowsFace(windows)) {
      looks.clear();
      AddTurned(kLyingTurns, reductions, options_.min_score, looks);
      AddFound(looks, size, windows);
    }
    return windows;
  }

  // A false face has seldom this score.
  double Certain() const { return std::max({0.3, options_.min_score, options_.min_tilted_score}); }
  double LeastScore() const { return options_.min_score - options_.further_slack; }

  bool ShowsFace(const std::vector<HogFace>& windows) const {
    return std::ranges::any_of(windows, [&](const HogFace& face) { return IsFace(face); });
  }

  double ScaleOfTurned(const cv::Size& size) const {
    return std::min(1., std::sqrt(options_.turned_pixels / static_cast<double>(size.area())));
  }

  void AddTurned(std::span<const int> turns, Reductions& grey, double least,
                 std::vector<Look>& looks) const {
    const cv::Size whole = grey.size();
    const double scale = ScaleOfTurned(whole);
    // A thinner picture shows no face, and once turned would need a square as large as its length.
    constexpr double kLeastSide = 64;
    if (scale * std::min(whole.width, whole.height) < kLeastSide) return;
    const cv::Mat small = grey.AreaMeans(SizeTimes(whole, scale));
    for (const int turn : turns) looks.push_back(Turned(small, whole, turn, least));
  }

  static void Append(const std::vector<HogFace>& faces, std::vector<HogFace>& windows) {
    windows.insert(windows.end(), faces.begin(), faces.end());
  }

  // Adds the faces of each picture, searched in parallel, whose centre is within `size`, as upright
  // boxes around that centre in pixels of the original. Isolated, because a thread that waits must
  // not start with another picture.
  void AddFound(const std::vector<Look>& looks, const cv::Size& size,
                std::vector<HogFace>& windows) const {
    std::vector<std::vector<HogFace>> found(looks.size());
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(std::size_t{0}, looks.size(), [&](std::size_t i) {
        found[i] =
            searches_.With([] { return HogSearch(); },
                           [&](HogSearch& search) { return FoundIn(looks[i], size, search); });
      });
    });
    for (const std::vector<HogFace>& faces : found) Append(faces, windows);
  }

  std::vector<HogFace> FoundIn(const Look& look, const cv::Size& size, HogSearch& search) const {
    std::vector<HogFace> faces;
    const double share = look.is_of_crowd ? 0 : options_.min_relative_size;
    for (const HogFace& face :
         search.Find(look.picture, look.least, share, Certain(),
                     look.least_size / std::max(look.scale_x, look.scale_y))) {
      const cv::Vec2d middle =
          look.there * cv::Vec3d((face.left + face.right) / 2., (face.top + face.bottom) / 2., 1);
      const double half_width = (face.right - face.left) / 2. * look.scale_x,
                   half_height = (face.bottom - face.top) / 2. * look.scale_y;
      const HogFace there{face.score,
                          face.pattern + look.patterns,
                          cvRound(middle[0] - half_width),
                          cvRound(middle[1] - half_height),
                          cvRound(middle[0] + half_width),
                          cvRound(middle[1] + half_height)};
      if (cv::Rect({}, size).contains(MiddleOf(there))) faces.push_back(there);
    }
    return faces;
  }

  // The scale at which an image is searched with at least `least` pixels.
  double ScaleOf(const cv::Size& size, int least) const {
    const double pixels = static_cast<double>(size.width) * size.height;
    const double searched =
        std::clamp(options_.searched_share * pixels, static_cast<double>(least),
                   static_cast<double>(std::max(least, options_.max_searched_pixels)));
    return std::min(options_.max_enlargement, std::sqrt(searched / pixels));
  }

  static cv::Mat Searched(const cv::Mat& bgr, double scale) {
    if (std::min(bgr.cols, bgr.rows) * scale < 1) return {};  // too thin for a face
    cv::Mat grey = SearchableMemory(bgr.size());
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    if (scale == 1) return grey;
    const cv::Size size(cvRound(grey.cols * scale), cvRound(grey.rows * scale));
    if (scale < 1) return Reductions(grey).Interpolated(size);
    cv::Mat1b larger = SearchableMemory(size);
    Interpolate(grey, 1 / scale, 1 / scale, larger);
    return larger;
  }

  HogOptions options_;
  mutable Pool<HogSearch> searches_;
};

}  // namespace

std::unique_ptr<SeedFinder> HogFaceFinder(const HogOptions& options) {
  return std::make_unique<HogFaces>(options);
}

}  // namespace skinmask
