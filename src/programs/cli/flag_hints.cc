#include "programs/cli/flag_hints.h"

#include <string_view>

namespace skinmask::cli {
namespace {

// A line about an option begins with `option` and goes on with `problem`, which tells it from the
// line about a file of such a name; `flag` stands there instead of `option`.
struct Subject {
  std::string_view option, problem, flag;
};

constexpr Subject kSubjects[] = {
    {"label '", "': ", "--label '"},
    {"labels: name no class ", "(classes are: ", "--label: names no class "},
    {"ignore '", "': ", "--ignore '"},
    {"invert: ", "needs two classes", "--invert: "},
    {"image name '", "': has no {stem}", "--image-name '"},
    {"mask name '", "': has no {stem}", "--mask-name '"},
    {"outlier: ", "is no share (", "--outlier: "},
    {"outliers: ", "a logistic model ", "--outlier: "},
    {"max-f1: ", "no pixel ", "--max-f1: "},
    {"max-fpr ", ": no pixel ", "--max-fpr "},
    {"min-recall ", ": no pixel ", "--min-recall "},
    {"cost ", ": no pixel ", "--cost "},
    {"seed rectangle ", ": is not within the image", "--seed-rect "},
    {"step ", ": is out of range (", "--step "},
    {"bins ", ": is out of range (", "--bins "},
    {"smoothing ", ": is out of range (", "--smoothing "},
    {"ridge ", ": is out of range (", "--ridge "},
    {"components: name a class ", "' that has no samples", "--components: names a class "},
    {"components ", ": is out of range (", "--components "},
};

// What would be right, as lines say it in brackets.
struct Remedy {
  std::string_view option, flag;
};

constexpr Remedy kRemedies[] = {
    {"(overwriting is off)", "(--force replaces it)"},
    {"(overwriting and resuming are off)",
     "(--force replaces its frames, --resume adds those that are missing)"},
    {"(a higher one takes it)", "(--max-pixels takes a higher one)"},
    {"the pattern of mask names ", "--mask-name "},
    {"needs labels (without them every", "needs --label (without it every"},
    {"(the labels skin=1 and non-skin=0 read such masks)",
     "(--label skin=1 --label non-skin=0 reads such masks)"},
    {"(label it, or ignore it)", "(label it with --label, or leave it out with --ignore)"},
    {"(the two folders the other way round)", "(--predicted and --truth the other way round)"},
    {"(from 2 to as many)", "(--folds takes from 2 to as many)"},
    {"fewer channels", "fewer --channels"},
    {"more shrinkage)", "more --shrinkage)"},
    {"a shrinkage of 0.1)", "--shrinkage 0.1)"},
    {"simpler features, or a ridge of ", "simpler --features, or --ridge "},
    {"give a ridge of ", "give --ridge "},
    {"(a smaller learning rate, or the solver newton)", "(a smaller --rate, or --solver newton)"},
    {"for an unbiased covariance", "for --covariance unbiased"},
};

}  // namespace

std::string WithFlags(std::string line) {
  for (const auto& [option, problem, flag] : kSubjects)
    if (line.starts_with(option) && line.find(problem, option.size()) != line.npos) {
      line.replace(0, option.size(), flag);
      break;
    }
  for (const auto& [option, flag] : kRemedies)
    if (const std::size_t at = line.find(option); at != line.npos)
      line.replace(at, option.size(), flag);
  return line;
}

}  // namespace skinmask::cli
