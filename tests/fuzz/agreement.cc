// Random models and pixels: every CPU target gives the same bits, within the promised bound of the
// reference. (Models that run by table are compared without one: it would take a second.)
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/random_model.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/yuv_quadratic.h"

namespace skinmask {
namespace {

struct Answers {
  explicit Answers(std::size_t count)
      : mask(count), byte(count), index(count), share(count), z(count) {}
  std::vector<std::uint8_t> mask, byte, index;
  std::vector<float> share, z;
};

template <class Form>
Answers Ask(const Form& form, const std::vector<std::uint8_t>& bgr) {
  Answers answers(bgr.size() / 3);
  form.MaskRow(bgr.data(), answers.mask.size(), answers.mask.data());
  form.ProbabilityRow(bgr.data(), answers.byte.size(), answers.byte.data());
  form.ProbabilityRow(bgr.data(), answers.share.size(), answers.share.data());
  form.LogOddsRow(bgr.data(), answers.z.size(), answers.z.data());
  form.ClassRow(bgr.data(), answers.index.size(), answers.index.data());
  return answers;
}

// The bytes as a row of planes.
Answers Ask(const CompiledYuvQuadratic& form, const std::vector<std::uint8_t>& bytes) {
  const std::size_t count = bytes.size() / 3;
  Answers answers(count);
  const YuvRow row{YuvRow::Layout::kI422,
                   {bytes.data(), bytes.data() + count, bytes.data() + 2 * count}};
  form.MaskRow(row, count, answers.mask.data());
  form.ProbabilityRow(row, count, answers.byte.data());
  return answers;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void RequireSame(const Answers& its, const Answers& best, const std::string& target) {
  fuzz::Require(SameBits(its.mask, best.mask), target + " gives the same masks");
  fuzz::Require(SameBits(its.byte, best.byte), target + " gives the same bytes");
  fuzz::Require(SameBits(its.index, best.index), target + " gives the same classes");
  fuzz::Require(SameBits(its.share, best.share), target + " gives the same probabilities");
  fuzz::Require(SameBits(its.z, best.z), target + " gives the same log-odds");
}

// ask()'s answers under the best target, which all others must give, too.
template <class Ask>
std::vector<Answers> OfAllTargets(const Ask& ask) {
  static const std::vector<std::string> kTargets = UsableTargets();
  std::vector<Answers> best;
  for (const std::string& target : kTargets) {
    UseTarget(target);
    std::vector<Answers> its = ask();
    if (best.empty()) best = std::move(its);
    for (std::size_t form = 0; form < its.size(); ++form)
      RequireSame(its[form], best[form], target);
  }
  return best;
}

// As tests/model/posterior_test.cc has it; `slack` is what double may be off by.
void Compare(const Answers& answers, const std::vector<double>& exact, double threshold,
             double bound, double z_bound, double slack) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double z = exact[i], p = Logistic(z), off = bound + slack + 1e-9;
    if (std::abs(z - threshold) > off)
      fuzz::Require(answers.mask[i] == (z > threshold ? 255 : 0), "a mask is the reference's");
    fuzz::Require(std::abs(answers.byte[i] - 255 * p) <= 0.5 + 255 * (off / 4 + 1e-6),
                  "a byte is the reference's probability");
    fuzz::Require(std::abs(answers.share[i] - p) <= off / 4 + 1e-6,
                  "a probability is the reference's");
    fuzz::Require(std::abs(answers.z[i] - z) <= z_bound + slack + 1e-6 * (1 + std::abs(z)),
                  "log-odds are the reference's");
  }
}

void CompareForms(const Model& model, const std::vector<std::uint8_t>& bgr) {
  const Reference reference(model);
  std::vector<double> exact(bgr.size() / 3);
  reference.LogOddsRow(bgr.data(), exact.size(), exact.data());
  const double threshold = Logit(model.decision.threshold), slack = fuzz::DoubleSlack(model);
  const Posterior posterior(model, {.expected_pixels = 1});
  if (!Quadratic::CanFold(model)) {
    const auto answers = OfAllTargets([&] { return std::vector{Ask(posterior, bgr)}; });
    return Compare(answers[0], exact, threshold, posterior.ErrorBound(), 0, slack);
  }
  // Also log-odds in float, and video, which Posterior has not.
  const Quadratic log_odds(model);
  const CompiledQuadratic quadratic(log_odds, threshold);
  const CompiledYuvQuadratic of_yuv(log_odds, {}, threshold);
  const auto answers = OfAllTargets([&] {
    return std::vector{Ask(posterior, bgr), Ask(quadratic, bgr), Ask(of_yuv, bgr)};
  });
  const double bound = quadratic.ErrorBound();
  Compare(answers[0], exact, threshold, bound, 0, slack);
  Compare(answers[1], exact, threshold, bound, bound, slack);
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  Model model;
  if (!fuzz::Succeeds([&] { model = fuzz::RandomModel(input); })) return 0;
  std::string pixels("\0\0\0\xFF\xFF\xFF\x80\x80\x80\x5A\x6E\xC8", 12);  // and then others
  pixels += input.Take(3 * 150);
  std::vector<std::uint8_t> bgr(pixels.begin(), pixels.end());
  bgr.resize(bgr.size() / 3 * 3);
  CompareForms(model, bgr);
  return 0;
}
