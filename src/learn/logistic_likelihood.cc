#include "learn/logistic_likelihood.h"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "skinmask/base/error.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/doubles-inl.h"

#ifndef SKINMASK_LOGISTIC_LIKELIHOOD_ONCE
#define SKINMASK_LOGISTIC_LIKELIHOOD_ONCE
namespace skinmask::logistic {
namespace {

constexpr std::size_t kSums = PointPlanes::kSums, kPoints = PointPlanes::kBlock;

using Block = PointPlanes::Block;
using Lanes = PointPlanes::Lanes;

constexpr std::size_t kPairs = kMaxTerms * (kMaxTerms + 1) / 2;

// For each pair of terms, by rows of the lower triangle, the first pair with the same product, as
// u_0 times u_1 u_2 is u_1 times u_0 u_2: 35 of the 55 pairs of a quadratic in three features
// differ.
using EqualProducts = std::array<std::size_t, kPairs>;

// The sums of a part of the points.
struct PartSums {
  Lanes value{};
  std::array<Lanes, kMaxTerms> gradient{};
  std::array<Lanes, kPairs> information{};
};

// The values of a block's points: their terms, log P(truth) times the weight, and the factors of
// the terms in the gradient and in the information.
struct BlockValues {
  std::array<Block, kMaxTerms> terms;
  Block value, residual, information;
};

}  // namespace
}  // namespace skinmask::logistic
#endif

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

using namespace logistic;

// Computes the terms of a vector of points; returns their z.
HWY_INLINE Doubles Terms(const PointPlanes& points, const Polynomial& z, std::size_t i,
                         std::size_t at, BlockValues& block) {
  Doubles sum = Double(z.w[0]);
  StoreAt(Double(1), &block.terms[0][at]);
  const auto add = [&](std::size_t term, Doubles t) {
    StoreAt(t, &block.terms[term][at]);
    sum = hn::Add(sum, hn::Mul(Double(z.w[term]), t));
  };
  for (std::size_t k = 0; k < z.features; ++k) add(1 + k, LoadAt(&points.f[k][i + at]));
  for (std::size_t k = 0; k < z.products.size(); ++k)
    add(1 + z.features + k, hn::Mul(LoadAt(&points.f[z.products[k].first][i + at]),
                                    LoadAt(&points.f[z.products[k].second][i + at])));
  return sum;
}

// With e = exp(-|z|), which cannot overflow, and m = z where the point is positive, else -z:
//   log P(truth) = min(m, 0) - log(1 + e),   |y - P| = (m < 0 ? 1 : e) / (1 + e),
//   P (1 - P) = e / (1 + e)^2.
void Evaluate(const PointPlanes& points, const Polynomial& z, std::size_t i, BlockValues& block) {
  for (std::size_t at = 0; at < kPoints; at += kDoubleLanes) {
    const Doubles x = Terms(points, z, i, at, block);
    const Doubles weight = LoadAt(&points.weight[i + at]);
    const Doubles m = hn::Xor(x, hn::And(weight, hn::SignBit(DoubleTag())));
    const Doubles e = Exp2(hn::Mul(hn::Abs(x), Double(-std::numbers::log2e)));
    const Doubles whole = hn::Add(Double(1), e);
    const Doubles log_truth = hn::Sub(hn::Min(m, Double(0)), Log(whole));
    const Doubles wrong = hn::Div(hn::IfThenElse(hn::Lt(m, Double(0)), Double(1), e), whole);
    StoreAt(hn::Mul(hn::Abs(weight), log_truth), &block.value[at]);
    StoreAt(hn::Mul(weight, wrong), &block.residual[at]);
    StoreAt(hn::Div(hn::Mul(hn::Abs(weight), e), hn::Mul(whole, whole)), &block.information[at]);
  }
}

HWY_INLINE void AddProducts(const Block& a, const Block& b, Lanes& lanes) {
  for (std::size_t lane = 0; lane < kSums; lane += kDoubleLanes) {
    Doubles sum = LoadAt(&lanes[lane]);
    for (std::size_t at = lane; at < kPoints; at += kSums)
      sum = hn::Add(sum, hn::Mul(LoadAt(&a[at]), LoadAt(&b[at])));
    StoreAt(sum, &lanes[lane]);
  }
}

void AddInformation(const BlockValues& block, std::size_t terms, const EqualProducts& equal,
                    PartSums& sums) {
  std::size_t place = 0;
  for (std::size_t row = 0; row < terms; ++row) {
    Block weighted;
    for (std::size_t at = 0; at < kPoints; at += kDoubleLanes)
      StoreAt(hn::Mul(LoadAt(&block.information[at]), LoadAt(&block.terms[row][at])),
              &weighted[at]);
    for (std::size_t column = 0; column <= row; ++column, ++place)
      if (equal[place] == place)
        AddProducts(weighted, block.terms[column], sums.information[place]);
  }
}

// Points first .. last - 1, whole blocks. Without the information if `equal` is null.
void AddPart(const PointPlanes& points, const Polynomial& z, const EqualProducts* equal,
             std::size_t first, std::size_t last, PartSums& sums) {
  BlockValues block;
  for (std::size_t i = first; i < last; i += kPoints) {
    Evaluate(points, z, i, block);
    AddProducts(block.value, block.terms[0], sums.value);
    for (std::size_t term = 0; term < z.terms(); ++term)
      AddProducts(block.residual, block.terms[term], sums.gradient[term]);
    if (equal) AddInformation(block, z.terms(), *equal, sums);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace logistic {
namespace {

using Terms = LogisticOptions::Terms;

EqualProducts EqualProductsOf(const Polynomial& z) {
  // The exponent of each feature.
  using Powers = std::array<int, 3>;
  std::vector<Powers> terms(z.terms(), Powers{}), pairs;
  for (std::size_t i = 0; i < z.features; ++i) ++terms[1 + i][i];
  for (std::size_t k = 0; k < z.products.size(); ++k) {
    ++terms[1 + z.features + k][z.products[k].first];
    ++terms[1 + z.features + k][z.products[k].second];
  }
  for (std::size_t row = 0; row < terms.size(); ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      pairs.push_back(terms[row]);
      for (std::size_t i = 0; i < 3; ++i) pairs.back()[i] += terms[column][i];
    }
  EqualProducts equal;
  std::iota(equal.begin(), equal.end(), 0);
  for (std::size_t place = 0; place < pairs.size(); ++place)
    equal[place] = static_cast<std::size_t>(std::ranges::find(pairs, pairs[place]) - pairs.begin());
  return equal;
}

}  // namespace

LikelihoodSums& LikelihoodSums::operator+=(const LikelihoodSums& other) {
  value += other.value;
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += other.gradient[i];
  for (std::size_t i = 0; i < information.size(); ++i) information[i] += other.information[i];
  return *this;
}

LikelihoodSums Likelihood(const PointPlanes& points, const Polynomial& z, bool information) {
  const EqualProducts equal = EqualProductsOf(z);
  return SumOverBlocks(points, LikelihoodSums(),
                       [&](std::size_t first, std::size_t last, LikelihoodSums& sums) {
                         PartSums lanes;
                         SKINMASK_DISPATCH(AddPart)
                         (points, z, information ? &equal : nullptr, first, last, lanes);
                         sums.value += PointPlanes::Total(lanes.value);
                         for (std::size_t i = 0; i < z.terms(); ++i)
                           sums.gradient[i] += PointPlanes::Total(lanes.gradient[i]);
                         for (std::size_t i = 0; i < sums.information.size(); ++i)
                           sums.information[i] += PointPlanes::Total(lanes.information[equal[i]]);
                       });
}

Polynomial FormOf(LogisticOptions::Terms terms, int features) {
  Polynomial form;
  form.features = static_cast<std::size_t>(features);
  for (std::size_t i = 0; i < form.features; ++i)
    for (std::size_t j = i; j < form.features; ++j)
      if (terms == Terms::kQuadratic || (terms == Terms::kSquares && i == j))
        form.products.emplace_back(i, j);
  return form;
}

void Standardise(const Scale& scale, PointPlanes& points) {
  for (Eigen::Index i = 0; i < scale.mean.size(); ++i) {
    if (!(scale.deviation(i) > 0))
      throw Error("logistic", "a channel never varies (more varied samples, fewer `channels`)");
    std::vector<double>& plane = points.f[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < points.count; ++k)
      plane[k] = (plane[k] - scale.mean(i)) / scale.deviation(i);
  }
}

Vector TermsOf(const Polynomial& form, const PointPlanes& points, std::size_t point) {
  Vector t(static_cast<Eigen::Index>(form.terms()));
  Eigen::Index next = 0;
  t(next++) = 1;
  for (std::size_t i = 0; i < form.features; ++i) t(next++) = points.f[i][point];
  for (const auto& [i, j] : form.products) t(next++) = points.f[i][point] * points.f[j][point];
  return t;
}

FeatureTerms Coefficients(const Polynomial& form, const Scale& scale, const Vector& w) {
  const auto size = static_cast<int>(form.features);
  FeatureTerms terms;
  terms.constant = w(0);
  terms.linear = w.segment(1, size).cwiseQuotient(scale.deviation);
  terms.constant -= terms.linear.dot(scale.mean);
  if (!form.products.empty())
    terms.product.assign(static_cast<std::size_t>(size * (size + 1) / 2), 0);
  for (std::size_t k = 0; k < form.products.size(); ++k) {
    const auto i = static_cast<int>(form.products[k].first),
               j = static_cast<int>(form.products[k].second);
    const double a = w(1 + size + static_cast<int>(k)) / scale.deviation(i) / scale.deviation(j);
    terms.product[static_cast<std::size_t>(i * size - i * (i - 1) / 2 + j - i)] = a;
    terms.linear(i) -= a * scale.mean(j);
    terms.linear(j) -= a * scale.mean(i);
    terms.constant += a * scale.mean(i) * scale.mean(j);
  }
  return terms;
}

}  // namespace logistic

}  // namespace skinmask
#endif
