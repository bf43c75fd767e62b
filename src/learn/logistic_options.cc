#include <utility>

#include "base/names.h"
#include "skinmask/learn/fit.h"

namespace skinmask {
namespace {

using Terms = LogisticOptions::Terms;
using Solver = LogisticOptions::Solver;

constexpr std::pair<Terms, std::string_view> kTerms[] = {
    {Terms::kLinear, "linear"}, {Terms::kSquares, "squares"}, {Terms::kQuadratic, "quadratic"}};

constexpr std::pair<Solver, std::string_view> kSolvers[] = {
    {Solver::kNewton, "newton"}, {Solver::kGradient, "gradient"}, {Solver::kSgd, "sgd"}};

}  // namespace

std::string_view TermsName(Terms wanted) { return NameIn(kTerms, wanted); }
Terms TermsFromName(std::string_view name) { return FromNameIn(kTerms, "terms", name); }
std::vector<std::string_view> TermsNames() { return NamesIn(kTerms); }

std::string_view SolverName(Solver wanted) { return NameIn(kSolvers, wanted); }
Solver SolverFromName(std::string_view name) { return FromNameIn(kSolvers, "solver", name); }
std::vector<std::string_view> SolverNames() { return NamesIn(kSolvers); }

}  // namespace skinmask
