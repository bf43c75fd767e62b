// Profiles of colours: LittleCMS writes them here, and formulas of IEC 61966-2-1 and the like are
// what conversions are held to.
#include <lcms2.h>

#include <array>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Gradient;
using testing::Outcome;

// A space of R G B: its primaries and how its levels become light.
struct Space {
  std::array<std::array<double, 2>, 3> primaries;
  double gamma;  // 0: the curve of sRGB
};
const Space kSrgb{{{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}}}, 0};
const Space kDisplayP3{{{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}}, 0};
const Space kAdobe{{{{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}}}, 2.19921875};

double Light(const Space& space, double level) {
  if (space.gamma > 0) return std::pow(level, space.gamma);
  return level <= 0.04045 ? level / 12.92 : std::pow((level + 0.055) / 1.055, 2.4);
}
double Level(const Space& space, double light) {
  if (space.gamma > 0) return std::pow(light, 1 / space.gamma);
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

// R G B to X Y Z, with D65's white.
cv::Matx33d ToXyz(const Space& space) {
  cv::Matx33d m;
  for (int i = 0; i < 3; ++i) {
    const auto [x, y] = space.primaries[static_cast<std::size_t>(i)];
    m(0, i) = x / y;
    m(1, i) = 1;
    m(2, i) = (1 - x - y) / y;
  }
  const cv::Vec3d white(0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290);
  return m * cv::Matx33d::diag(m.inv() * white);
}

// By the formulas.
cv::Mat Converted(const cv::Mat& bgr, const Space& from, const Space& to) {
  const cv::Matx33d m = ToXyz(to).inv() * ToXyz(from);
  cv::Mat converted(bgr.size(), CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      cv::Vec3d light;
      for (int c = 0; c < 3; ++c) light[c] = Light(from, bgr.at<cv::Vec3b>(y, x)[2 - c] / 255.);
      light = m * light;
      for (int c = 0; c < 3; ++c)
        converted.at<cv::Vec3b>(y, x)[2 - c] =
            cv::saturate_cast<std::uint8_t>(255 * Level(to, std::clamp(light[c], 0., 1.)));
    }
  return converted;
}

std::string Saved(cmsHPROFILE profile) {
  cmsUInt32Number size = 0;
  cmsSaveProfileToMem(profile, nullptr, &size);
  std::string icc(size, '\0');
  cmsSaveProfileToMem(profile, icc.data(), &size);
  cmsCloseProfile(profile);
  constexpr std::size_t kDate = 24, kDateSize = 12;  // when it was made
  return icc.replace(kDate, kDateSize, kDateSize, '\0');
}

std::string ProfileOf(const Space& space) {
  const cmsCIExyY white{0.3127, 0.3290, 1};
  cmsCIExyYTRIPLE primaries;
  cmsCIExyY* const each[] = {&primaries.Red, &primaries.Green, &primaries.Blue};
  for (std::size_t i = 0; i < 3; ++i) *each[i] = {space.primaries[i][0], space.primaries[i][1], 1};
  double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve* const curve = space.gamma > 0 ? cmsBuildGamma(nullptr, space.gamma)
                                              : cmsBuildParametricToneCurve(nullptr, 4, srgb);
  cmsToneCurve* const curves[] = {curve, curve, curve};
  const std::string icc = Saved(cmsCreateRGBProfile(&white, &primaries, curves));
  cmsFreeToneCurve(curve);
  return icc;
}

// A picture of that space in a file of that kind.
std::string FileOf(const std::string& extension, const cv::Mat& picture, const PictureTags& tags) {
  const std::string bare = extension == ".jpg"    ? EncodeJpeg(picture, 95)
                           : extension == ".webp" ? EncodeWebP(picture, 95)
                                                  : EncodePng(picture);
  return WithTags(bare, tags, picture.size());
}

// A TIFF with a profile and 300 pixels a centimetre: the directory at the end is written anew.
std::string TiffOf(const cv::Mat& bgr, const std::string& icc, std::size_t orientation = 1) {
  const auto number = [](std::size_t value, int bytes) {
    std::string s;
    for (int i = 0; i < bytes; ++i) s += static_cast<char>(value >> 8 * i);
    return s;
  };
  cv::Mat rgb;
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  const std::string pixels(rgb.ptr<char>(), rgb.total() * 3);
  const std::size_t at = 8 + pixels.size() + icc.size(), bits = at, dpi = at + 6,
                    directory = at + 6 + 16;
  std::string tiff("II*\0", 4);
  tiff += number(directory, 4) + pixels + icc + number(8, 2) + number(8, 2) + number(8, 2);
  for (const std::size_t dots : {300u, 150u}) tiff += number(dots, 4) + number(1, 4);
  const auto entry = [&](std::size_t tag, std::size_t type, std::size_t count, std::size_t value) {
    return number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4);
  };
  const auto cols = static_cast<std::size_t>(bgr.cols), rows = static_cast<std::size_t>(bgr.rows);
  const std::string entries =
      entry(256, 4, 1, cols) + entry(257, 4, 1, rows) + entry(258, 3, 3, bits) +
      entry(259, 3, 1, 1) + entry(262, 3, 1, 2) + entry(273, 4, 1, 8) +
      entry(274, 3, 1, orientation) + entry(277, 3, 1, 3) + entry(278, 4, 1, rows) +
      entry(279, 4, 1, pixels.size()) + entry(282, 5, 1, dpi) + entry(283, 5, 1, dpi + 8) +
      entry(296, 3, 1, 3) + entry(34675, 7, icc.size(), 8 + pixels.size());
  return tiff + number(entries.size() / 12, 2) + entries + number(0, 4);
}

double Largest(const cv::Mat& a, const cv::Mat& b) { return cv::norm(a, b, cv::NORM_INF); }

TEST(ColorProfiles, BecomeSrgbAsTheFormulasSay) {
  const cv::Mat stored = Gradient(256, 200);
  for (const Space& space : {kDisplayP3, kAdobe}) {
    const std::string icc = ProfileOf(space);
    const cv::Mat expected = Converted(stored, space, kSrgb);
    EXPECT_GT(cv::norm(stored, expected, cv::NORM_L1) / static_cast<double>(stored.total()), 10);
    EXPECT_LE(Largest(DecodeImage(FileOf(".png", stored, {icc}), "x"), expected), 2);
    EXPECT_LE(Largest(DecodeImage(TiffOf(stored, icc), "x"), expected), 2);
    for (const char* lossy : {".jpg", ".webp"}) {
      const std::string file = FileOf(lossy, stored, {icc});
      const cv::Mat own = DecodeImage(FileOf(lossy, stored, {}), "x");
      EXPECT_LE(Largest(DecodeImage(file, "x"), Converted(own, space, kSrgb)), 2) << lossy;
      // Smaller pictures, too, and where the colours are asked for as they are.
      PictureTags tags;
      EXPECT_EQ(Largest(DecodeImage(file, "x", {.tags = &tags}), own), 0);
      EXPECT_EQ(tags.icc, icc);
    }
  }
}

// What a file says is what comes back, also of a profile in several segments.
TEST(ColorProfiles, AndResolutionsStandInFilesOfAllKinds) {
  const cv::Mat picture = Gradient(30, 20);
  const std::string large = ProfileOf(kAdobe) + std::string(150000, '\7');
  for (const char* extension : {".png", ".jpg", ".webp"})
    for (const std::string& icc : {std::string(), ProfileOf(kDisplayP3), large})
      for (const double dpi : {0., 300.}) {
        const std::string file = FileOf(extension, picture, {icc, dpi, dpi / 2});
        const PictureTags tags = ReadTags(file);
        EXPECT_EQ(tags.icc, icc) << extension;
        EXPECT_NEAR(tags.dpi_x, dpi, 0.02) << extension;
        EXPECT_NEAR(tags.dpi_y, dpi / 2, 0.02) << extension;
        const cv::Mat buffer(1, static_cast<int>(file.size()), CV_8UC1,
                             const_cast<char*>(file.data()));
        EXPECT_EQ(cv::imdecode(buffer, cv::IMREAD_COLOR).size(), picture.size()) << extension;
      }
  const PictureTags tags = ReadTags(TiffOf(picture, large));
  EXPECT_EQ(tags.icc, large);
  EXPECT_NEAR(tags.dpi_x, 762, 0.01);
  EXPECT_NEAR(tags.dpi_y, 381, 0.01);
  PictureTags on_its_side;
  EXPECT_EQ(DecodeImage(TiffOf(picture, large, 6), "x", {.tags = &on_its_side}).size(),
            cv::Size(picture.rows, picture.cols));
  EXPECT_NEAR(on_its_side.dpi_x, 381, 0.01);
  // A picture that is turned and made smaller has fewer pixels to an inch, the other way round.
  PictureTags turned;
  DecodeImage(testing::WithOrientation(FileOf(".jpg", picture, {{}, 300, 150}), 6), "x",
              {.scale = 2, .tags = &turned});
  EXPECT_NEAR(turned.dpi_x, 75, 0.02);
  EXPECT_NEAR(turned.dpi_y, 150, 0.02);
  // A cut-out of WebP stays transparent.
  cv::Mat bgra, again;
  cv::cvtColor(picture, bgra, cv::COLOR_BGR2BGRA);
  bgra(cv::Rect(0, 0, 9, 9)).setTo(cv::Scalar(0, 0, 0, 0));
  const std::string webp = WithTags(EncodeWebP(bgra, 90), {large}, bgra.size());
  again = cv::imdecode(
      cv::Mat(1, static_cast<int>(webp.size()), CV_8UC1, const_cast<char*>(webp.data())),
      cv::IMREAD_UNCHANGED);
  ASSERT_EQ(again.type(), CV_8UC4);
  EXPECT_EQ(again.at<cv::Vec4b>(3, 3)[3], 0);
  EXPECT_EQ(again.at<cv::Vec4b>(15, 15)[3], 255);
}

TEST(ColorProfiles, StandInNoFilesOfOthers) {
  const std::string png = EncodePng(Gradient(5, 5)), jpeg = EncodeJpeg(Gradient(5, 5), 90);
  for (const std::string& file : {std::string(), std::string("hello"), png.substr(0, 12),
                                  jpeg.substr(0, 12), std::string("RIFF"), "II*" + png}) {
    EXPECT_ERROR(WithTags(file, {.icc = "x"}, {5, 5}), "tags: go into a JPEG with JFIF, PNG");
    EXPECT_EQ(WithTags(file, {}, {5, 5}), file);
  }
}

// sRGB as others write it changes no byte, and what is none, or nonsense, is told and passed over.
TEST(ColorProfiles, OfSrgbAndNonsenseChangeNothing) {
  const cv::Mat picture = Gradient(60, 40);
  const std::string plain = EncodeJpeg(picture, 90);
  const cv::Mat expected = DecodeImage(plain, "x");
  std::string problem, cut = ProfileOf(kAdobe);
  cut.resize(cut.size() - 40);
  const cmsCIExyY white{0.3127, 0.3290, 1};
  cmsToneCurve* const curve = cmsBuildGamma(nullptr, 2.2);
  const std::string grey = Saved(cmsCreateGrayProfile(&white, curve));
  cmsFreeToneCurve(curve);
  for (const std::string& icc : {ProfileOf(kSrgb), Saved(cmsCreate_sRGBProfile())}) {
    EXPECT_EQ(Largest(DecodeImage(WithTags(plain, {icc}, picture.size()), "x"), expected), 0);
    EXPECT_TRUE(IsTakenAsSrgb(icc));
    InSrgb(picture, icc, &problem);
    EXPECT_EQ(problem, "");
  }
  for (const std::string& icc :
       {std::string("nonsense"), std::string(5000, '\0'), cut, grey, Saved(cmsCreateXYZProfile()),
        Saved(cmsCreateLab2Profile(nullptr))}) {
    EXPECT_EQ(Largest(DecodeImage(WithTags(plain, {icc}, picture.size()), "x"), expected), 0);
    problem.clear();
    EXPECT_EQ(InSrgb(picture, icc, &problem).data, picture.data);
    EXPECT_NE(problem.find("taken as sRGB"), std::string::npos) << problem;
  }
  // Whatever byte of it changes, pictures are decoded.
  cv::RNG random(3);
  const std::string whole = ProfileOf(kDisplayP3);
  for (int i = 0; i < 120; ++i) {
    std::string icc = whole;
    for (int n = random.uniform(1, 6); n > 0; --n)
      icc[static_cast<std::size_t>(random.uniform(0, static_cast<int>(icc.size())))] =
          static_cast<char>(random.uniform(0, 256));
    EXPECT_EQ(DecodeImage(WithTags(plain, {icc}, picture.size()), "x").size(), picture.size());
  }
}

// The colours of a mask are names.
TEST(ColorProfiles, OfMasksDoNotCount) {
  cv::Mat mask(20, 30, CV_8UC1, cv::Scalar(0));
  mask(cv::Rect(3, 3, 9, 9)).setTo(255);
  cv::Mat colors;
  cv::cvtColor(mask, colors, cv::COLOR_GRAY2BGR);
  colors.setTo(cv::Scalar(10, 200, 30), mask);
  const std::string plain = EncodePng(colors), tagged = FileOf(".png", colors, {ProfileOf(kAdobe)});
  const cv::Mat kept = DecodeImage(tagged, "x", {.keep_colors = true});
  EXPECT_EQ(Largest(kept, colors), 0);
  EXPECT_GT(Largest(DecodeImage(tagged, "x"), colors), 5);
}

// Planes are those of Y'CbCr of sRGB alone.
TEST(ColorProfiles, OtherThanSrgbLeaveNoPlanes) {
  const cv::Mat picture = Gradient(60, 40);
  Scratch planes;
  const auto has_planes = [&](const std::string& icc) {
    const std::string file = FileOf(".jpg", picture, {icc});
    return DecodeJpegPlanes(file, "x", {}, planes).has_value();
  };
  EXPECT_TRUE(has_planes(""));
  EXPECT_TRUE(has_planes(ProfileOf(kSrgb)));
  EXPECT_FALSE(has_planes(ProfileOf(kAdobe)));
}

class ColorProfileProgram : public testing::ProgramTest {};

// The samples in wide spaces have the masks that they have in sRGB; what is drawn on them has their
// profile, resolution and colours.
TEST_F(ColorProfileProgram, MasksAreThoseOfSrgb) {
  const std::pair<const char*, Space> spaces[] = {{"p3", kDisplayP3}, {"adobe", kAdobe}};
  int count = 0;
  for (const auto& entry : testing::fs::directory_iterator(testing::SamplesFolder() / "photos")) {
    const cv::Mat photo = ReadImage(entry.path());
    const std::string name = entry.path().stem().string() + ".png";
    Put("srgb/" + name, EncodePng(photo));
    for (const auto& [folder, space] : spaces)
      Put(std::string(folder) + "/" + name,
          FileOf(".png", Converted(photo, kSrgb, space), {ProfileOf(space), 240, 240}));
    ++count;
  }
  ASSERT_GE(count, 2);
  for (const char* folder : {"srgb", "p3", "adobe"}) {
    const Outcome run =
        Run(std::string("detect ") + folder + " -o " + folder + "-out --output mask,overlay");
    ASSERT_EQ(run.status, 0) << run.err;
  }
  for (const std::string& name : Names(Path("srgb")))
    for (const auto& [folder, space] : spaces) {
      const std::string out = std::string(folder) + "-out/";
      const cv::Mat mask = cv::imread(Path(out + name).string(), cv::IMREAD_GRAYSCALE);
      const cv::Mat expected = cv::imread(Path("srgb-out/" + name).string(), cv::IMREAD_GRAYSCALE);
      EXPECT_LE(cv::countNonZero(mask != expected), 0.005 * static_cast<double>(mask.total()))
          << out << name;
      const std::string overlay =
          ReadFile(Path(out + name.substr(0, name.size() - 4) + ".overlay.png"));
      const PictureTags tags = ReadTags(overlay);
      EXPECT_EQ(tags.icc, ProfileOf(space)) << name;
      EXPECT_NEAR(tags.dpi_x, 240, 0.02) << name;
      PictureTags of_photo;
      const cv::Mat own =
          DecodeImage(ReadFile(Path(std::string(folder) + "/" + name)), "x", {.tags = &of_photo});
      const cv::Mat drawn = DecodeImage(overlay, "x", {.tags = &of_photo});
      EXPECT_EQ(cv::norm(own, drawn, cv::NORM_INF, mask), 0) << name;  // on skin
    }
}

// A profile of a matrix with a table of elements beside it. LittleCMS reads such tables in
// quadratic time.
std::string WithElements(const Space& space) {
  const std::string icc = ProfileOf(space);
  cmsHPROFILE profile = cmsOpenProfileFromMem(icc.data(), static_cast<cmsUInt32Number>(icc.size()));
  cmsPipeline* const elements = cmsPipelineAlloc(nullptr, 3, 3);
  const cmsFloat64Number half[] = {.5, 0, 0, 0, .5, 0, 0, 0, .5};
  cmsPipelineInsertStage(elements, cmsAT_END, cmsStageAllocMatrix(nullptr, 3, 3, half, nullptr));
  EXPECT_TRUE(cmsWriteTag(profile, cmsSigDToB0Tag, elements));
  cmsPipelineFree(elements);
  return Saved(profile);
}

// One line for those who ask for all, and the masks of sRGB.
TEST_F(ColorProfileProgram, AProfileOfNoUseIsALineOfVerbose) {
  const cv::Mat photo = ReadImage(testing::SamplesFolder() / "photos/grace_hopper.jpg");
  Put("a.jpg", EncodeJpeg(photo, 95));
  Put("b.jpg", FileOf(".jpg", photo, {"nonsense"}));
  Put("c.jpg", FileOf(".jpg", photo, {WithElements(kAdobe)}));
  const Outcome loud = Run("detect a.jpg b.jpg c.jpg -o out -v"),
                quiet = Run("detect b.jpg -o other");
  EXPECT_EQ(loud.status, 0) << loud.err;
  EXPECT_NE(loud.err.find("b.jpg: its profile of colours is damaged, so they are taken as sRGB"),
            std::string::npos)
      << loud.err;
  EXPECT_NE(loud.err.find("c.jpg: its profile of colours has tables of elements"),
            std::string::npos)
      << loud.err;
  EXPECT_EQ(loud.err.find("a.jpg: its profile"), std::string::npos);
  EXPECT_EQ(quiet.err.find("profile"), std::string::npos);
  for (const char* const other : {"out/b.png", "out/c.png"})
    EXPECT_TRUE(ReadFile(Path("out/a.png")) == ReadFile(Path(other))) << other;
}

}  // namespace
}  // namespace skinmask
