#include "skinmask/model/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/reference.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using Json = nlohmann::json;

Model Trained(Kind kind, std::size_t classes = 2) {
  FitOptions options;
  options.kind = kind;
  options.features = Features("YCrCb", {});
  options.mixture.iterations = 20;  // whose file is as that of any other
  Model model = Fit(DrawSamples(classes), options);
  model.decision = {0.1 + 1e-17, "max-f1", "somewhere"};
  model.card.notes = {{"licence", "none \"at\" all\n"}};
  model.card.scores = {{"somewhere", 0.3, 0.1, std::nullopt, 1. / 3, 0.9}};
  return model;
}

TEST(Model, ReadsBackBitForBit) {
  for (Kind kind : {Kind::kQda, Kind::kLda, Kind::kGaussianNb}) {
    for (std::size_t classes : {2, 3}) {
      const Model model = Trained(kind, classes);
      const Model back = ModelFromJson(ModelToJson(model), "m");
      EXPECT_EQ(ModelToJson(back), ModelToJson(model));
      ASSERT_EQ(back.classes.size(), classes);
      for (std::size_t k = 0; k < classes; ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back.classes[k].prior),
                  std::bit_cast<std::uint64_t>(model.classes[k].prior));
        EXPECT_EQ(back.classes[k].mean, model.classes[k].mean);
        EXPECT_EQ(back.classes[k].covariance, model.classes[k].covariance);
      }
      EXPECT_EQ(back.card.notes, model.card.notes);
      EXPECT_FALSE(back.card.scores[0].recall.has_value());
    }
  }
}

// JSON has each name once.
TEST(Model, NotesOfOneNameBecomeOne) {
  Model model = Trained(Kind::kQda);
  model.card.notes = {{"sampled", "9 pixels"}, {"licence", "none"}, {"sampled", "5 pixels"}};
  const std::vector<std::pair<std::string, std::string>> written = {
      {"sampled", "9 pixels; 5 pixels"}, {"licence", "none"}};
  EXPECT_EQ(ModelFromJson(ModelToJson(model), "m").card.notes, written);
}

TEST(Model, CostsAreReadBackInTheOrderOfTheClasses) {
  Model model = WithClassCosts(Trained(Kind::kQda, 3), {0, 1, 2, 3, 0, 4, 5, 6, 0});
  EXPECT_EQ(ModelFromJson(ModelToJson(model), "m").class_costs, model.class_costs);
  // The same of a file in which the positive class stands last.
  Json json = Json::parse(ModelToJson(model));
  Json& classes = json["parameters"]["classes"];
  std::rotate(classes.begin(), classes.begin() + 1, classes.end());
  json["decision"]["class_costs"] = {{0, 4, 3}, {6, 0, 5}, {1, 2, 0}};
  EXPECT_EQ(ModelFromJson(json.dump(), "m").class_costs, model.class_costs);
}

TEST(Model, RefusesCostsThatAreOfOtherClasses) {
  const Model model = Trained(Kind::kQda, 3);
  for (const ClassCosts& costs : {ClassCosts{0, 1, 1, 0},
                                  {0, 1, 1, 1, 1, 1, 1, 1, 0},
                                  {0, 1, 1, -1, 0, 1, 1, 1, 0},
                                  {0, 1, NAN, 1, 0, 1, 1, 1, 0}})
    EXPECT_THROW(WithClassCosts(model, costs), Error);
  EXPECT_EQ(TextOfClassCosts(ClassCostsFrom("0,1.5:2,0")), "0,1.5:2,0");
  for (const char* const text :
       {"0", "0,1", "0,1:1", "0,1:1,0:", "0,1:1,x", "0,1;1,0", ":", "0,-1:1,0"})
    EXPECT_THROW(ClassCostsFrom(text), Error) << text;
  EXPECT_TRUE(ClassCostsFrom("").empty());
}

TEST(Model, ThePositiveClassMayStandAnywhereInTheFile) {
  Model model = Trained(Kind::kQda);
  model.shrinkage = {0.25, 0.5};
  Json json = Json::parse(ModelToJson(model));
  std::swap(json["parameters"]["classes"][0], json["parameters"]["classes"][1]);
  const Model back = ModelFromJson(json.dump(), "m");
  EXPECT_EQ(back.positive().name, "skin");
  EXPECT_EQ(back.shrinkage, model.shrinkage);
  EXPECT_EQ(Reference(back).LogOdds(90, 100, 150), Reference(model).LogOdds(90, 100, 150));
}

TEST(Model, TheOthersKeepTheirOrderBehindThePositiveClass) {
  const Model model = Fit(testing::DrawSamples(3, 1), {});
  Json json = Json::parse(ModelToJson(model));
  Json& classes = json["parameters"]["classes"];
  ASSERT_EQ(model.classes[0].name, "skin");
  std::rotate(classes.begin(), classes.begin() + 1, classes.end());
  const Model back = ModelFromJson(json.dump(), "m");
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(back.classes[k].name, model.classes[k].name);
}

// Changes one thing in a good file and expects a refusal that says where and why.
void ExpectRefused(const std::string& pointer, const Json& value, const std::string& message,
                   Kind kind = Kind::kQda) {
  static std::map<Kind, Json> files;  // of those that were trained before
  if (!files.contains(kind)) files[kind] = Json::parse(ModelToJson(Trained(kind)));
  Json json = files[kind];
  json[Json::json_pointer(pointer)] = value;
  EXPECT_ERROR(ModelFromJson(json.dump(), "m.json"), message);
}

TEST(Model, LogisticClassesHaveTheSameTerms) {
  FitOptions options;
  options.kind = Kind::kLogistic;
  Json json = Json::parse(ModelToJson(Fit(testing::DrawSamples(3), options)));
  json["parameters"]["classes"][1]["product"] = Json::array();
  EXPECT_ERROR(ModelFromJson(json.dump(), "m.json"), "classes have products and none");
}

TEST(Model, RefusesWhatIsWrongAndSaysWhere) {
  const std::string c0 = "/parameters/classes/0";
  ExpectRefused("/format", "other", "m.json: is no model");
  ExpectRefused("/version", 2u, "has model version 2 (this program reads version 1)");
  ExpectRefused("/kind", "forest", "m.json: kind: model kind 'forest': is unknown");
  ExpectRefused("/positive", "sky", "positive 'sky' is not one of the classes");
  ExpectRefused("/parameters/smoothing", 5e-324, "smoothing 5e-324 is not from 1e-12 to",
                Kind::kHistogram);
  ExpectRefused("/decision/class_costs", Json::array({Json::array({0, 1, 1, 0})}),
                "a row of class_costs has 4 numbers (2 classes)");
  ExpectRefused("/features/space", "CIE", "colour space 'CIE'");
  ExpectRefused("/features/channels", Json::array({"Y", "Y"}), "twice");
  ExpectRefused(c0 + "/mean", Json::array({1, 2}), "parameters.classes[0].mean needs 3 numbers");
  ExpectRefused(c0 + "/mean/1", nullptr, "parameters.classes[0].mean[1] is not a finite number");
  ExpectRefused(c0 + "/mean/1", "NaN", "parameters.classes[0].mean[1] is not a finite number");
  ExpectRefused(c0 + "/prior", 0.7, "priors sum to");
  ExpectRefused(c0 + "/prior", -0.25, "prior -0.25 is not between 0 and 1");
  ExpectRefused(c0 + "/covariance/0/1", 5, "covariance is not symmetric");
  ExpectRefused(c0 + "/covariance/0/0", -5, "class 'skin': covariance is not positive definite");
  ExpectRefused("/parameters/covariance/0/0", -5, "not positive definite", Kind::kLda);
  ExpectRefused("/parameters/covariance/0/0", 1e-300, "not positive definite", Kind::kLda);
  ExpectRefused(c0 + "/covariance", 3, "parameters.classes[0].covariance is not a list");
  ExpectRefused(c0 + "/count", -3, "count is not a whole number");
  for (const double prior : {-0.1, 0., 1.})
    ExpectRefused("/calibration", {{"slope", 1}, {"offset", 0}, {"data", "d"}, {"prior", prior}},
                  "prior");
  ExpectRefused("/decision/threshold", 1.5, "threshold 1.5 is not between 0 and 1");
  ExpectRefused("/decision", Json::object(), "decision.threshold is missing");
  ExpectRefused("/parameters/classes/1/class", "skin",
                "classes are not those of parameters.classes");
}

TEST(Model, RefusesWhatIsOfAnotherType) {
  for (const Json& other : {Json(), Json(3), Json::array()}) {
    ExpectRefused("/kind", other, "m.json: kind is not a text");
    ExpectRefused("/features", other, "m.json: features is not an object");
    ExpectRefused("/features/space", other, "m.json: features.space is not a text");
    ExpectRefused("/parameters/estimator", other, "m.json: parameters.estimator is not a text");
    ExpectRefused("/card/training/counts", other, "card.training.counts is not an object");
    ExpectRefused("/card/training/channel_order", other, "channel_order is not a text");
    ExpectRefused("/card/notes", other, "card.notes is not an object");
  }
  ExpectRefused("/card/training/counts/skin", 0.5, "card.training.counts.skin is not a whole");
}

TEST(Model, RulesAreThoseThatChooseThresholds) {
  Model model = Trained(Kind::kQda);
  for (const char* rule : {"fixed", "max-f1", "max-fpr 1e-05", "min-recall 0.95", "cost 1:2.5"}) {
    model.decision.rule = rule;
    EXPECT_EQ(ModelFromJson(ModelToJson(model), "m.json").decision.rule, rule);
  }
  for (const char* other :
       {"", "best", "Max-F1", "max-f1 1", "max-fpr", "max-fpr 0.1:1", "min-recall x", "cost 1",
        "cost 1:2 ", "least 1", "max-fpr 2", "min-recall -1", "cost 0:1", "cost 1:-1"})
    ExpectRefused("/decision/rule", other, fmt::format("decision.rule '{}' is no rule", other));
}

// Windows begins texts with a mark, and JSON has one kind of numbers.
TEST(Model, ReadsWhatIsTheSameToOthers) {
  const Model model = Trained(Kind::kQda);
  Json json = Json::parse(ModelToJson(model));
  json["version"] = 1.0;
  EXPECT_EQ(ModelToJson(ModelFromJson("\xEF\xBB\xBF" + json.dump(), "m.json")), ModelToJson(model));
}

TEST(Model, RefusesWhatContradictsItself) {
  const std::string c0 = "/parameters/classes/0";
  ExpectRefused("/classes", Json::array({"skin", "sky"}),
                "classes are not those of parameters.classes");
  ExpectRefused("/classes", 3, "classes is not a list");
  ExpectRefused("/features/channels", Json::array(), "features.channels is empty");
  ExpectRefused(c0 + "/shrinkage", -7, "shrinkage -7 is not between 0 and 1");
  ExpectRefused(c0 + "/covariance/0/1", 1e-3, "covariance is not", Kind::kGaussianNb);
  ExpectRefused(c0 + "/mean/0", 1e200, "its density overflows");
  ExpectRefused(c0 + "/components/0/weight", 0.999, "weights sum to ", Kind::kMixture);
  ExpectRefused(c0 + "/bins", "1:5 1:4", "bins are not ascending", Kind::kHistogram);
  ExpectRefused(c0 + "/class", "a,b", "classes are not those");
  ExpectRefused("/version", Json::parse("[[[[1]]]]"), "version is not a whole number");
  ExpectRefused("/version", "1", "version is not a whole number");
}

TEST(Model, EveryHistogramOfAClassHoldsItsPixels) {
  Model model = Trained(Kind::kHistogramNb);
  EXPECT_NO_THROW(Validate(model, "m"));
  auto& bins = model.classes[0].bins;
  ++bins.front().count;  // of the first channel
  const auto last =
      std::find_if(bins.rbegin(), bins.rend(), [](const auto& b) { return b.count > 1; });
  ASSERT_NE(last, bins.rend());
  --last->count;  // of the last one
  EXPECT_ERROR(Validate(model, "m"), "bins hold");
}

// Files from before curves have numbers, which mean what they did.
TEST(Model, ReadsCalibrationOfAdaptationInBothForms) {
  Model model = Trained(Kind::kQda);
  model.adapted_calibration = {{0.25, 0.5}, {{0.5, {{0, 2}, {1, 0.25}}}, 3}, {0.75, 1}, "here"};
  const Model read = ModelFromJson(ModelToJson(model), "m");
  EXPECT_EQ(read.adapted_calibration.faces, model.adapted_calibration.faces);
  EXPECT_EQ(read.adapted_calibration.image, model.adapted_calibration.image);
  EXPECT_EQ(read.adapted_calibration.neither, model.adapted_calibration.neither);
  EXPECT_EQ(read.adapted_calibration.faces(-8), -2);
  EXPECT_EQ(read.adapted_calibration.faces(8), 4);
  EXPECT_EQ(read.adapted_calibration.image(-2), -(0.5 + 2 + 0.25));
  Json old = Json::parse(ModelToJson(model));
  EXPECT_EQ(old["adapted_calibration"]["faces"], Json({{"below", 0.25}, {"above", 0.5}}));
  old["adapted_calibration"].erase("neither");
  EXPECT_TRUE(ModelFromJson(old.dump(), "m").adapted_calibration.neither.identity());
}

TEST(Model, RefusesCurvesThatAreNotMonotone) {
  const auto expect = [](const Json& below, const std::string& line) {
    const Json curve{{"below", below}, {"above", 1}};
    ExpectRefused("/adapted_calibration", {{"faces", curve}, {"image", curve}, {"data", ""}}, line);
  };
  const auto side = [](const Json& jump, const Json& from, const Json& slopes) {
    return Json{{"jump", jump}, {"from", from}, {"slopes", slopes}};
  };
  expect(-1, "adapted calibration's slope -1 is not within 0.001..1000");
  expect(side(-0.1, {0}, {1}), "adapted calibration's jump -0.1 is not within 0..1000");
  expect(side(0, {0, 2}, {1}), "another number of slopes than of from");
  expect(side(0, {0, 2}, {1, 0}), "slope 0 is not within");
  expect(side(0, {0, 2, 2}, {1, 1, 1}), "lines do not begin at 0 and then ascend");
  expect(side(0, {1, 2}, {1, 1}), "lines do not begin at 0 and then ascend");
  expect(side(0, Json::array(), Json::array()), "has 0 lines on a side (1 to 4)");
  expect(side(0, {0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}), "has 5 lines on a side (1 to 4)");
  expect("1", "adapted_calibration.faces.below is not a finite number");
}

// Log-odds that would overflow, and memory of which the file says nothing.
TEST(Model, RefusesWhatWouldOverflow) {
  const Json steep{{"slope", 1e308}, {"offset", 0}, {"data", ""}};
  ExpectRefused("/calibration", steep, "calibration's slope 1e+308 is not more than 0 and at most");
  const Json shifted{{"slope", 1}, {"offset", -1e308}, {"data", ""}};
  ExpectRefused("/calibration", shifted, "calibration's offset -1e+308 is not within 1e+30");
  Model model = Trained(Kind::kHistogram);
  model.histogram.bins = 256;
  EXPECT_NO_THROW(Validate(model, "m"));
  while (model.classes.size() < 5) {
    model.classes.push_back(model.classes.front());
    model.classes.back().name = fmt::format("class {}", model.classes.size());
  }
  EXPECT_ERROR(Validate(model, "m"), "83886080 bins of all classes (at most 67108864)");
}

// A few megabytes would take a hundred times as much memory.
TEST(Model, RefusesMoreValuesThanAnyHas) {
  ExpectRefused("/features/channels", Json(Json::array_t(200'000, "")), "m.json: holds 2000");
}

TEST(Model, LargeModelsAreRead) {
  Model model = Trained(Kind::kQda);
  model.shrinkage.clear();
  while (model.classes.size() < kMaxClasses) {
    model.classes.push_back(model.classes.back());
    model.classes.back().name = fmt::format("class {}", model.classes.size());
  }
  for (ClassModel& c : model.classes) c.prior = 1.0 / static_cast<double>(kMaxClasses);
  EXPECT_EQ(ModelFromJson(ModelToJson(model), "m").classes.size(), kMaxClasses);
}

class ModelFile : public testing::FolderTest {};

TEST_F(ModelFile, IsNoLargerThanOneMayBe) {
  std::filesystem::resize_file(Put("m.json", "{"), (std::uintmax_t{1} << 30) + 1);
  EXPECT_ERROR(ReadModel(Path("m.json")), "is larger than 1073741824 bytes");
}

TEST(Model, EveryTruncationIsAnErrorNotACrash) {
  const std::string text = ModelToJson(Trained(Kind::kLda, 3));
  for (std::size_t size = 0; size + 2 < text.size(); size += 7)
    EXPECT_THROW(ModelFromJson(text.substr(0, size), "m"), Error);
  EXPECT_ERROR(ModelFromJson(text.substr(0, 100), "m.json"),
               "m.json: is not JSON: parse error at line");
  EXPECT_ERROR(ModelFromJson("[1, NaN]", "m.json"), "is not JSON");
  EXPECT_ERROR(ModelFromJson("{\"format\": 1e999}", "m.json"),
               "m.json: has a number that is too large: number overflow parsing '1e999'");
}

TEST(Model, PriorChangeShiftsAllLogOddsAlike) {
  const Model model = Trained(Kind::kQda, 3);
  const Model changed = WithPrior(model, 0.6);
  const double shift = Logit(0.6) - Logit(model.positive().prior);
  for (int i = 0; i < 256; i += 5) {
    const auto v = static_cast<std::uint8_t>(i);
    EXPECT_NEAR(Reference(changed).LogOdds(v, 100, 200),
                Reference(model).LogOdds(v, 100, 200) + shift, 1e-9);
  }
  // Calibrated log-odds are of the prior of their data.
  Model calibrated = model;
  calibrated.calibration = {2, 0.5, "d", 0.3};
  EXPECT_NEAR(Reference(WithPrior(calibrated, 0.6)).LogOdds(90, 100, 200),
              Reference(calibrated).LogOdds(90, 100, 200) + Logit(0.6) - Logit(0.3), 1e-9);
  EXPECT_ERROR(WithPrior(model, 1), "out of range");
  EXPECT_ERROR(WithPrior(model, 1e-17), "prior 1e-17: is too small");
  Validate(WithPrior(model, 1e-15), "m");
  Model scored = model;
  scored.card.scores.push_back({"d", 0.5, 1, 1, 1, 1});
  scored.decision = {0.3, "max-f1", "d"};
  const Model other = WithPrior(scored, 0.6);
  EXPECT_TRUE(other.card.scores.empty());  // they are another model's
  EXPECT_EQ(other.decision.threshold, 0.3);
  EXPECT_EQ(other.decision.rule, "fixed");
  EXPECT_EQ(other.decision.data, "");
  EXPECT_ERROR(WithPrior(model, std::nan("")), "out of range");
}

// As Train returns it after a stop.
TEST(Model, OneWithoutClassesIsAnError) {
  const Model none;
  EXPECT_ERROR(none.positive(), "model: has no classes");
  EXPECT_ERROR(ModelToJson(none), "no classes");
  EXPECT_ERROR(WithPrior(none, 0.3), "no classes");
  EXPECT_ERROR(Validate(none, "m"), "m: 0 classes");
}

TEST(Model, HasNoNameTwice) {
  std::string json(DefaultModelJson());
  const std::size_t at = json.find("\"threshold\"");
  ASSERT_NE(at, json.npos);
  json.insert(at, "\"threshold\": 0.9, ");
  EXPECT_ERROR(ModelFromJson(json, "m.json"), "m.json: has 'threshold' twice in an object");
}

TEST(Model, TheBuiltInModelIsTheFileInModels) {
  EXPECT_EQ(DefaultModelJson(), ReadFile(SKINMASK_SOURCE "/models/default.json"));
  EXPECT_EQ(ModelToJson(DefaultModel()), DefaultModelJson());
}

}  // namespace
}  // namespace skinmask
