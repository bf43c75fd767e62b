#include "programs/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/folder.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "programs/cli/help.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/learn/fit.h"
#include "skinmask/media/inputs.h"
#include "skinmask/model/model.h"

namespace skinmask::cli {

namespace {

constexpr const char* kJsonAlone = " (--json alone writes to standard output)";

std::string Suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = Nearest(word, words);
  return nearest.empty() ? "" : ", did you mean " + nearest + "?";
}

std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string NameOf(const CLI::Option& option) {
  const std::vector<std::string>& names =
      option.get_lnames().empty() ? option.get_snames() : option.get_lnames();
  return names.empty() ? option.get_name() : names.front();
}

Json GivenOptions(const CLI::App& verb, Which which) {
  Json given = Json::object();
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    const std::vector<std::string>& values = option->results();
    // To say --adapt auto insists on it, with seeds and for what is no skin.
    const std::string usual = option->get_default_str();
    const bool as_ever = NameOf(*option) != "adapt" &&
                         ((values.size() == 1 && values.front() == usual) ||
                          fmt::format("[{}]", fmt::join(values, ",")) == usual);  // of a list
    if (which == Which::kDeciding && (!option->get_configurable() || as_ever)) continue;
    Json& value = given[NameOf(*option)];
    if (option->get_expected_max() == 0)
      value = true;  // a flag
    else if (values.size() == 1 && option->get_expected_max() == 1)
      value = values.front();
    else
      value = values;
  }
  return given;
}

// --json takes a file only as --json=FILE or, of verbs with inputs, where the next word ends in
// .json; otherwise `detect --json a.jpg` would take the photograph for the place to write to.
CommandLine ReadCommandLine(const CLI::App& app, int argc, char** argv) {
  CommandLine line{{argv + 1, argv + argc}, {}};
  std::vector<std::string>& words = line.words;
  if (!words.empty() && (words[0] == "--version" || words[0] == "-V")) words[0] = "version";
  const bool positional = std::ranges::any_of(VerbsOf(app), [&](const CLI::App* verb) {
    return !words.empty() && verb->get_name() == words[0] && !ArgumentsOf(*verb).empty();
  });
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (words[i] != "--json") continue;
    const bool dash = i + 1 < words.size() && words[i + 1] == "-";
    const bool word = i + 1 < words.size() && !words[i + 1].starts_with('-');
    const bool file = word && (!positional || words[i + 1].ends_with(".json"));
    if (dash || (word && !file)) line.after_json = words[i + 1];
    words[i] = file ? "--json=" + words[i + 1] : "--json=-";
    if (file) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return line;
}

void RequireVerb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : VerbsOf(app)) verbs.push_back(verb->get_name());
  if (std::ranges::find(verbs, word) != verbs.end()) return;
  throw UsageError(fmt::format("there is no verb '{}'{}", word,
                               Exists(word)
                                   ? ", but a file of that name (detect makes masks of files)"
                                   : Suggestion(word, verbs)));
}

std::string ProblemOf(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  for (const CLI::App* const part : {&app, &command})
    for (const std::string& word : part->remaining()) {
      if (!word.starts_with('-') || word == "--" || word == "-") continue;
      const std::string option = word.substr(0, word.find('='));
      return fmt::format("there is no option {}{}{}", option,
                         part == &command ? "" : " before the verb",
                         Suggestion(option, OptionsOf(*part)));
    }
  const std::vector<std::string> words = command.remaining();
  if (!words.empty() && dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const CLI::Option* const json = command.get_option_no_throw("--json");
    const bool meant_for_json = words.front() == "-" && json && json->count() > 0;
    return fmt::format("'{}' is one word too many{}", words.front(),
                       meant_for_json ? kJsonAlone : "");
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    for (const CLI::Option* option : command.get_options())
      if (option->get_expected_max() == 1 && option->count() > 1)
        return fmt::format("{} is given {} times (once)", option->get_name(), option->count());
  return error.what();
}

namespace {

using Words = std::vector<std::string>;

// The command line as it was given.
class Given {
 public:
  explicit Given(const CLI::App& verb) : verb_(verb) {}

  const std::string& verb() const { return verb_.get_name(); }
  bool Has(const std::string& option) const {
    const CLI::Option* const found = verb_.get_option_no_throw(option);
    return found && found->count() > 0;
  }
  // What it was given, or where it was not, its default.
  Words Values(const std::string& option) const {
    const CLI::Option* const found = verb_.get_option_no_throw(option);
    if (!found) return {};
    return found->count() > 0 ? found->results() : Words{found->get_default_str()};
  }
  // What stands without an option, of a verb that takes such words.
  Words Inputs() const { return ArgumentsOf(verb_).front()->results(); }
  bool Is(const std::string& option, std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(Values(option), [&](const std::string& value) {
      return std::ranges::find(words, value) != words.end();
    });
  }

 private:
  const CLI::App& verb_;
};

bool HasSeed(const Given& given) { return given.Has("--seed-mask") || given.Has("--seed-rect"); }
// Nothing adapts, so nothing is refined.
bool AdaptsNothing(const Given& given) { return given.Is("--adapt", {"off"}) && !HasSeed(given); }
bool SearchesNoFaces(const Given& given) { return !given.Has("--adapt") && HasSeed(given); }
bool DividesNothing(const Given& given) { return given.Is("--adapt", {"off", "faces"}); }
bool HasNoImages(const Given& given) { return !given.Has("--images"); }
bool HasNoMasks(const Given& given) { return !given.Has("--truth"); }
bool Writes(const Given& given, bool OutputKind::*what) {
  return std::ranges::any_of(OutputNames(what),
                             [&](std::string_view name) { return given.Is("--output", {name}); });
}
bool WritesClasses(const Given& given) { return Writes(given, &OutputKind::of_model_alone); }
bool NamesImagesOnly(const Given& given) {
  if (given.Has("--files-from")) return false;
  return std::ranges::all_of(given.Values("input"), [](const std::string& input) {
    const NamedMedia named(input);
    return (named.image || named.archive) && !named.video && !IsFolder(input);
  });
}
bool NamesFilesOnly(const Given& given) {
  if (given.Has("--files-from")) return false;
  return std::ranges::none_of(given.Values("input"), [](const std::string& input) {
    return IsFolder(input) || NamedMedia(input).archive;
  });
}
// A video is lossless where nobody watches it and no codec is named; folders may hold anything.
bool LosesNothing(const Given& given) {
  using Format = OutputStyle::Format;
  const NamedMedia output(given.Values("-o").front());
  const bool lossy = given.Has("--codec") ||
                     (output.video ? !output.lossless : Writes(given, &OutputKind::is_watched));
  if (!NamesImagesOnly(given) && lossy && !given.Has("--frames")) return false;
  const auto may_be_any = [](const std::string& input) {
    const NamedMedia named(input);
    return !(named.image || named.archive || named.video) || IsFolder(input);
  };
  return !given.Has("--files-from") && std::ranges::none_of(given.Values("input"), may_be_any) &&
         given.Is("--format", {"png"}) &&
         FormatOfName(given.Values("-o").front()).value_or(Format::kPng) == Format::kPng;
}
bool IsolatesAll(const Given& given) {
  return given.Is("--isolate", {"all"}) && given.Is("--pixels", {"yuv"});
}
bool TakesNoVideos(const Given&) { return true; }
bool ReadsTablesOnly(const Given& given) {
  return given.Has("--samples") && !given.Has("--images") && !given.Has("--predicted") &&
         !given.Has("--validation-images") && !given.Has("--calibrate-masks");
}
bool Simulates(const Given& given) { return given.Has("--simulate"); }
bool WritesNoTable(const Given& given) { return !given.Has("--csv") && !given.Has("--faces-csv"); }
bool MeasuresNothing(const Given& given) {
  return WritesNoTable(given) && !given.Has("--json") && !given.Has("--jsonl");
}
// With either, --force is for that file.
bool ResumesAndWritesNoFile(const Given& given) {
  return given.Has("--resume") && MeasuresNothing(given);
}

// Verbs and options are divided by spaces. `why` stands behind the option.
struct Rule {
  std::string_view verbs, options;
  bool (*is_inapplicable)(const Given&);
  std::string_view why;
};

constexpr Rule kRules[] = {
    {"detect", "--erode", MeasuresNothing,
     "is of what is measured, which --csv, --faces-csv, --json and --jsonl tell"},
    {"live", "--erode", WritesNoTable, "is of what is measured, which --csv and --faces-csv tell"},
    {"detect live evaluate", "--min-component", DividesNothing,
     "is of images that are divided, and only --adapt auto divides"},
    {"detect live evaluate", "--min-component", HasSeed,
     "is of images without a face and a seed, and a seed is given"},
    {"detect live evaluate", "--faces", SearchesNoFaces,
     "finds faces, and with a seed none are searched for (--adapt auto or faces does both)"},
    {"evaluate", "--steady", TakesNoVideos, "is for videos, and evaluate takes images"},
    {"evaluate", "--allow-missing", HasNoMasks, "needs --truth"},
    {"detect", "--include --exclude", NamesFilesOnly,
     "picks files of folders and archives, and there are none"},
    {"detect", "--pixels", IsolatesAll,
     "yuv decodes JPEGs in the program itself, and --isolate all none (one of them)"},
    {"detect", "--quality", LosesNothing,
     "is of JPEG, WebP and videos with a codec or to be watched, and these outputs are lossless "
     "(--format jpeg, or webp)"},
    {"detect", "--codec --frames --from --to --audio --steady", NamesImagesOnly,
     "is for videos, and all inputs are images"},
    {"detect", "--force", ResumesAndWritesNoFile,
     "replaces what exists, and --resume leaves it (one of them)"},
    {"train sample compare evaluate", "--max-pixels --isolate --max-seconds --max-failures",
     ReadsTablesOnly, "is for images, and tables are read"},
    {"evaluate", "--by", ReadsTablesOnly, "groups images, and tables are read"},
    {"sample evaluate", "--shard", ReadsTablesOnly, "is of images, and tables are read"},
    {"sample", "--shard", Simulates, "is of images, and pixels are drawn"},
    {"sample", "--step --max-pixels --isolate --max-seconds --max-failures", Simulates,
     "is for images, and pixels are drawn"},
    {"sample", "--ungrouped", Simulates, "is of images, and pixels are drawn"},
    {"sample compare", "--step", ReadsTablesOnly, "is for images, and tables are read"},
};

// Of each option of AdaptTable. Some of these have a rule in kRules, too.
constexpr Rule kRulesOfAdaptation[] = {
    {"evaluate", "", HasNoImages, "needs --images"},
    {"detect live evaluate", "", AdaptsNothing, "is of adapted images, and --adapt off is given"},
    {"detect", "", WritesClasses, "is of adapted images, and --output classes knows none"},
};

void Require(const Given& given, const Rule& rule, const std::string& option) {
  if (given.Has(option) && std::ranges::count(Parts(rule.verbs, ' '), given.verb()) > 0 &&
      rule.is_inapplicable(given))
    throw UsageError(fmt::format("{} {}", option, rule.why));
}

// Of train, where there is one kind, and of compare, where there may be several, with settings.
void RequireOfKinds(const Given& given) {
  const std::string kinds_option = given.verb() == "train" ? "--kind" : "--kinds";
  if (given.verb() != "train" && !given.Has(kinds_option)) return;  // all kinds
  Words kinds;
  for (const std::string& kind : given.Values(kinds_option))
    kinds.push_back(kind.substr(0, kind.find(':')));
  const std::vector<std::string_view> known = KindNames();
  for (const std::string& kind : kinds)
    if (std::ranges::find(known, kind) == known.end()) return;  // which is said later
  for (const OptionRow& row : FitTable().rows()) {
    const bool of_train = given.verb() == "train" || row.name != "seed";  // compare has its own
    if (of_train && !row.kinds.empty() && given.Has(FlagOf(row.name)) &&
        std::ranges::find_first_of(kinds, row.kinds) == kinds.end())
      throw UsageError(fmt::format("{} is of {}, and {} is {}", FlagOf(row.name),
                                   fmt::join(row.kinds, ", "), kinds_option,
                                   fmt::join(kinds, ",")));
  }
  if (given.verb() == "train" && given.Has("--rate") && given.Is("--solver", {"newton"}))
    throw UsageError("--rate is of --solver gradient and sgd, and newton takes no rate");
}

// A kind of output that stands among the inputs.
void RequireKindsJoined(const Given& given) {
  const std::vector<std::string_view> all = OutputNames();
  for (const std::string& input : given.Values("input")) {
    if (!given.Has("--output") || std::ranges::count(all, input) == 0 || Exists(input)) continue;
    Words kinds = given.Values("--output");
    kinds.push_back(input);
    throw UsageError(
        fmt::format("'{}' is no file; kinds of output are joined by commas (--output {})", input,
                    fmt::join(kinds, ",")));
  }
}

// The word behind --json that was taken for an input, and is none.
void RequireJsonFile(const Given& given, const std::string& word) {
  const NamedMedia named(word);
  if (word.empty() || named.image || named.video) return;
  if (word == "-" && given.verb() == "detect") return;  // standard input
  if (word == "-") throw UsageError(fmt::format("'-' is one word too many{}", kJsonAlone));
  const Words inputs = given.Inputs();
  const bool last = !inputs.empty() && inputs.back() == word;
  if (Exists(word) && !(IsFolder(word) && last && inputs.size() > 1)) return;
  throw UsageError(fmt::format("--json '{0}' is {1}; results go to --json {0}.json or --json=FILE",
                               word, IsFolder(word) ? "a folder" : "no file that ends in .json"));
}

}  // namespace

void RequireNoInapplicableOption(const CLI::App& verb) {
  const Given given(verb);
  for (const Rule& rule : kRules)
    for (const std::string& option : Parts(rule.options, ' ')) Require(given, rule, option);
  for (const OptionRow& row : AdaptTable().rows())
    if (!row.name.empty())
      for (const Rule& rule : kRulesOfAdaptation) Require(given, rule, FlagOf(row.name));
  if (given.verb() == "train" || given.verb() == "compare") RequireOfKinds(given);
}

void RequireWordsInPlace(const CLI::App& verb, const std::string& after_json) {
  const Given given(verb);
  if (given.verb() != "live") RequireJsonFile(given, after_json);  // live: a camera has any name
  if (given.verb() == "detect") RequireKindsJoined(given);
}

}  // namespace skinmask::cli
