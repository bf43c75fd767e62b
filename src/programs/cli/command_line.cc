#include "programs/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string_view>

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

using Words = std::vector<std::string>;

bool Has(const CLI::App& verb, const std::string& option) {
  const CLI::Option* const found = verb.get_option_no_throw(option);
  return found && found->count() > 0;
}

// The given values, or the default.
Words Values(const CLI::App& verb, const std::string& option) {
  const CLI::Option* const found = verb.get_option_no_throw(option);
  if (!found) return {};
  return found->count() > 0 ? found->results() : Words{found->get_default_str()};
}

bool Is(const CLI::App& verb, const std::string& option,
        std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(Values(verb, option), [&](const std::string& value) {
    return std::ranges::find(words, value) != words.end();
  });
}

bool HasSeed(const CLI::App& verb) { return Has(verb, "--seed-mask") || Has(verb, "--seed-rect"); }
// Without adaptation there is no refinement.
bool AdaptsNothing(const CLI::App& verb) { return Is(verb, "--adapt", {"off"}) && !HasSeed(verb); }
bool SearchesNoFaces(const CLI::App& verb) { return !Has(verb, "--adapt") && HasSeed(verb); }
bool DividesNothing(const CLI::App& verb) { return Is(verb, "--adapt", {"off", "faces"}); }
bool HasNoImages(const CLI::App& verb) { return !Has(verb, "--images"); }
bool HasNoMasks(const CLI::App& verb) { return Has(verb, "--whole") || Has(verb, "--samples"); }
bool Writes(const CLI::App& verb, bool OutputKind::*what) {
  return std::ranges::any_of(OutputNames(what),
                             [&](std::string_view name) { return Is(verb, "--output", {name}); });
}
bool WritesClasses(const CLI::App& verb) { return Writes(verb, &OutputKind::of_model_alone); }
bool DrawsNoFaces(const CLI::App& verb) {
  const Words drawn = Parts(Values(verb, "--draw").front(), ',');
  return std::ranges::count(drawn, "faces") > 0 &&
         (Is(verb, "--adapt", {"off"}) || SearchesNoFaces(verb) || WritesClasses(verb));
}
bool RequiresFace(const CLI::App& verb) { return Has(verb, "--require-face"); }
bool NamesFoldersOnly(const CLI::App& verb) {
  return !Has(verb, "--files-from") && std::ranges::all_of(Values(verb, "input"), IsFolder);
}
// True if every input is named on the command line and no folder, and `is` holds for all names.
template <class Is>
bool AllFiles(const CLI::App& verb, const Is& is) {
  return !Has(verb, "--files-from") &&
         std::ranges::all_of(Values(verb, "input"), [&](const std::string& input) {
           return !IsFolder(input) && is(NamedMedia(input));
         });
}
bool NamesImagesOnly(const CLI::App& verb) {
  return AllFiles(
      verb, [](const NamedMedia& named) { return (named.image || named.archive) && !named.video; });
}
bool DecodesVideosItself(const CLI::App& verb) {
  return !Is(verb, "--isolate", {"all"}) &&
         AllFiles(verb, [](const NamedMedia& named) { return named.video && !named.image; });
}
bool WritesNoImages(const CLI::App& verb) {
  return !Has(verb, "--frames") &&
         AllFiles(verb, [](const NamedMedia& named) { return named.video; });
}
bool IsolatesNothing(const CLI::App& verb) { return Is(verb, "--isolate", {"none"}); }
// True if all outputs are lossless. A video is lossless if it is not to be watched and no codec is
// given.
bool LosesNothing(const CLI::App& verb) {
  using Format = OutputStyle::Format;
  const NamedMedia output(Values(verb, "-o").front());
  const bool lossy_videos =
      Has(verb, "--codec") ||
      (output.video ? !output.lossless : Writes(verb, &OutputKind::is_watched));
  if (lossy_videos && !NamesImagesOnly(verb) && !Has(verb, "--frames")) return false;
  return Is(verb, "--format", {"png"}) &&
         FormatOfName(Values(verb, "-o").front()).value_or(Format::kPng) == Format::kPng;
}
bool IsolatesAll(const CLI::App& verb) {
  return Is(verb, "--isolate", {"all"}) && Is(verb, "--pixels", {"yuv"});
}
bool Reduces(const CLI::App& verb) {
  return Has(verb, "--scale") && !Is(verb, "--scale", {"1"}) && Is(verb, "--pixels", {"yuv"});
}
bool ReadsTablesOnly(const CLI::App& verb) {
  return Has(verb, "--samples") && !Has(verb, "--images") && !Has(verb, "--predicted") &&
         !Has(verb, "--validation-images") && !Has(verb, "--calibrate-masks");
}
bool WritesPart(const CLI::App& verb) { return Has(verb, "--partial"); }
bool HasShard(const CLI::App& verb) { return !Is(verb, "--shard", {"1/1"}); }
bool LacksPart(const CLI::App& verb) { return HasShard(verb) && !WritesPart(verb); }
bool MakesPart(const CLI::App& verb) { return HasShard(verb) || WritesPart(verb); }
bool HasTwoModels(const CLI::App& verb) { return Values(verb, "--model").size() > 1; }
bool HasNoValidation(const CLI::App& verb) { return !Has(verb, "--validation-images"); }
bool TrainsNothing(const CLI::App& verb) { return Is(verb, "--kinds", {"none"}); }
bool WritesNoModel(const CLI::App& verb) { return !Has(verb, "--write"); }
bool Simulates(const CLI::App& verb) { return Has(verb, "--simulate"); }
bool DrawsNothing(const CLI::App& verb) { return !Has(verb, "--picture"); }
bool Integrates(const CLI::App& verb) { return Has(verb, "--marginal"); }
bool WritesNoTable(const CLI::App& verb) {
  return !Has(verb, "--csv") && !Has(verb, "--faces-csv");
}
bool HasNoWindow(const CLI::App& verb) { return Has(verb, "--headless"); }
bool ShowsNothing(const CLI::App& verb) {
  return HasNoWindow(verb) && !Has(verb, "--record") && !Has(verb, "--sink");
}
bool FollowsUnseen(const CLI::App& verb) { return ShowsNothing(verb) && !Has(verb, "--csv"); }
bool MeasuresNothing(const CLI::App& verb) {
  return WritesNoTable(verb) && !Has(verb, "--json") && !Has(verb, "--jsonl");
}
// A resumed run names the options of its folder, also if they change nothing that is left to do.
bool ErodesNothing(const CLI::App& verb) { return MeasuresNothing(verb) && !Has(verb, "--resume"); }
bool ReadsNoVideos(const CLI::App& verb) { return NamesImagesOnly(verb) && !Has(verb, "--resume"); }
// With a table or a record, --force applies to that file.
bool ResumesAndWritesNoFile(const CLI::App& verb) {
  return Has(verb, "--resume") && MeasuresNothing(verb);
}

// `verbs` and `options` are separated by spaces. The message is the option followed by `why`.
struct Rule {
  std::string_view verbs, options;
  bool (*is_inapplicable)(const CLI::App&);
  std::string_view why;
};

constexpr Rule kRules[] = {
    {"detect", "--erode", ErodesNothing,
     "is of what is measured, which --csv, --faces-csv, --json and --jsonl tell"},
    {"live", "--erode", WritesNoTable, "is of what is measured, which --csv and --faces-csv tell"},
    {"live", "--view --background --draw", ShowsNothing,
     "is of pictures, and --headless makes none without --record or --sink"},
    {"live", "--track", FollowsUnseen,
     "is of pictures and of --csv, and --headless makes none without --record or --sink"},
    {"live", "-o", HasNoWindow, "is for what keys of the window write, and --headless has none"},
    {"detect live evaluate", "--min-component", DividesNothing,
     "is of images that are divided, and only --adapt auto divides"},
    {"detect live evaluate", "--min-component", RequiresFace,
     "is of images without a face, and with --require-face these have no skin"},
    {"detect live evaluate", "--min-component --require-face", HasSeed,
     "is of images without a face and a seed, and a seed is given"},
    {"detect live evaluate", "--faces", SearchesNoFaces,
     "finds faces, and with a seed none are searched for (--adapt auto or faces does both)"},
    {"detect live", "--draw", DrawsNoFaces,
     "faces shows the faces that are adapted to, and none are searched for (--adapt auto or "
     "faces, and no output classes)"},
    {"evaluate", "--allow-missing", HasNoMasks, "is of masks, and none are read"},
    {"detect", "--pixels", IsolatesAll,
     "yuv decodes JPEGs in the program itself, and --isolate all leaves it none (one of them)"},
    {"detect", "--pixels", Reduces,
     "yuv classifies pixels as they are stored, and --scale makes others (one of them)"},
    {"detect", "--quality", LosesNothing,
     "is of JPEG, WebP and videos with a codec or to be watched, and these outputs are lossless "
     "(--output overlay with --format jpeg or webp, or videos with a codec such as libx264)"},
    {"detect", "--format", WritesNoImages,
     "is of pictures, and these outputs are videos (--frames writes pictures)"},
    {"detect train sample compare evaluate", "--max-seconds", IsolatesNothing,
     "limits decoders in processes of their own, and with --isolate none there are none"},
    {"detect", "--max-seconds", DecodesVideosItself,
     "limits decoders in processes of their own, which videos have with --isolate all alone"},
    {"detect", "--input-format", NamesFoldersOnly,
     "is of files and pipes that are named, and all inputs are folders"},
    {"detect", "--codec --frames --from --seek --to --audio --output-format", ReadsNoVideos,
     "is for videos, and all inputs are images"},
    {"detect", "--force", ResumesAndWritesNoFile,
     "replaces what exists, and --resume leaves it (one of them)"},
    {"train sample compare evaluate", "--step --max-pixels --isolate --max-seconds --max-failures",
     ReadsTablesOnly, "is for images, and tables are read"},
    {"evaluate", "--by", ReadsTablesOnly, "groups images, and tables are read"},
    {"sample evaluate", "--shard --partial --partials", ReadsTablesOnly,
     "is of images, and tables are read"},
    {"evaluate", "--partial --partials", HasTwoModels, "is of one model (give --model once)"},
    {"evaluate compare", "--shard", LacksPart,
     "needs --partial (scores of a part would pass for the whole)"},
    {"evaluate compare", "--partials", MakesPart,
     "makes the whole of all parts, and --shard and --partial make one"},
    {"evaluate compare", "--json --report --picture --write", WritesPart,
     "is of the whole, which --partials makes of the parts"},
    {"train sample compare evaluate", "--whole", HasNoImages, "needs --images"},
    {"train sample compare evaluate", "--image-name --mask-name --label --ignore --invert",
     ReadsTablesOnly, "says how masks are read, and tables are read"},
    {"compare", "--take", WritesNoModel, "is for the model of --write"},
    {"compare", "--spaces --channels --shrinkage --covariance", TrainsNothing,
     "is of candidates, and --kinds none has none"},
    {"sample", "--step --max-pixels --isolate --max-seconds --max-failures", Simulates,
     "is for images, and pixels are drawn"},
    {"sample", "--image-name --mask-name --label --ignore --invert", Simulates,
     "says how masks are read, and pixels are drawn"},
    {"sample", "--shard --ungrouped", Simulates, "is of images, and pixels are drawn"},
    {"train", "--validation-name", HasNoValidation, "needs --validation-images"},
    {"show", "--beside --samples --at --marginal", DrawsNothing,
     "is of a picture (give --picture)"},
    {"show", "--at", Integrates, "cuts where --marginal integrates (one of them)"},
};

// Rules for every option of AdaptTable; some options have rules in kRules, too.
constexpr Rule kRulesOfAdaptation[] = {
    {"evaluate", "", HasNoImages, "needs --images"},
    {"detect live evaluate", "", AdaptsNothing, "is of adapted images, and --adapt off is given"},
    {"detect", "", WritesClasses, "is of adapted images, and --output classes knows none"},
};

void Require(const CLI::App& verb, const Rule& rule, const std::string& option) {
  if (Has(verb, option) && std::ranges::count(Parts(rule.verbs, ' '), verb.get_name()) > 0 &&
      rule.is_inapplicable(verb))
    throw UsageError("{} {}", option, rule.why);
}

// Throws UsageError for options that do not apply to any chosen kind: of train, which has one kind,
// and of compare, which can have several kinds with settings.
void RequireOfKinds(const CLI::App& verb) {
  const std::string kinds_option = verb.get_name() == "train" ? "--kind" : "--kinds";
  // By default all kinds are compared.
  if (verb.get_name() != "train" && !Has(verb, kinds_option)) return;
  Words kinds;
  for (const std::string& kind : Values(verb, kinds_option))
    kinds.push_back(kind.substr(0, kind.find(':')));
  const std::vector<std::string_view> known = KindNames();
  for (const std::string& kind : kinds)
    if (std::ranges::find(known, kind) == known.end()) return;  // reported later
  for (const OptionRow& row : FitTable().rows()) {
    // The --seed of `compare` is another option.
    const bool of_train = verb.get_name() == "train" || row.name != "seed";
    if (of_train && !row.kinds.empty() && Has(verb, FlagOf(row.name)) &&
        std::ranges::find_first_of(kinds, row.kinds) == kinds.end())
      throw UsageError("{} is of {}, and {} is {}", FlagOf(row.name), fmt::join(row.kinds, ", "),
                       kinds_option, fmt::join(kinds, ","));
  }
  if (verb.get_name() == "train" && Has(verb, "--rate") && Is(verb, "--solver", {"newton"}))
    throw UsageError("--rate is of --solver gradient and sgd, and newton takes no rate");
}

// Throws UsageError for a kind of output among the inputs.
void RequireKindsJoined(const CLI::App& verb) {
  const std::vector<std::string_view> all = OutputNames();
  for (const std::string& input : Values(verb, "input")) {
    if (!Has(verb, "--output") || std::ranges::count(all, input) == 0 || Exists(input)) continue;
    Words kinds = Values(verb, "--output");
    kinds.push_back(input);
    throw UsageError("'{}' is no file; kinds of output are joined by commas (--output {})", input,
                     fmt::join(kinds, ","));
  }
}

// Throws UsageError if the word after --json, which counts as an input, cannot be one.
void RequireJsonFile(const CLI::App& verb, const std::string& word) {
  const NamedMedia named(word);
  if (word.empty() || named.any()) return;
  if (word == "-" && verb.get_name() == "detect") return;  // standard input
  if (word == "-") throw UsageError("'-' is one word too many{}", kJsonAlone);
  const Words inputs = ArgumentsOf(verb).front()->results();
  const bool last = !inputs.empty() && inputs.back() == word;
  if (Exists(word) && !(IsFolder(word) && last && inputs.size() > 1)) return;
  throw UsageError("--json '{0}' is {1}; results go to --json {0}.json or --json=FILE", word,
                   IsFolder(word) ? "a folder" : "no file that ends in .json");
}

}  // namespace

void NoteOptions(const CLI::App& verb, Context& context) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string flag = option->get_name(), usual = option->get_default_str();
    const std::string name = flag.substr(flag.find_first_not_of('-'));  // "o", "input"
    if (option->get_configurable()) context.deciding_defaults[name] = usual;
    if (option->count() == 0) continue;
    const std::vector<std::string>& values = option->results();
    Json& value = context.options[name];
    if (option->get_expected_max() == 0)
      value = true;  // a flag
    else if (values.size() == 1 && option->get_expected_max() == 1)
      value = values.front();
    else
      value = values;
    // An explicit --adapt auto has an effect (with seeds, and for classes other than skin).
    const bool is_default =
        name != "adapt" && ((values.size() == 1 && values.front() == usual) ||
                            fmt::format("[{}]", fmt::join(values, ",")) == usual);  // of a list
    if (option->get_configurable() && !is_default) context.deciding[name] = value;
  }
}

// True for a file that verbs read as a model or a part, by the format that it names.
bool IsModelOrPart(const std::string& file) {
  if (!IsRegularFile(file)) return false;
  std::string begin(1 << 20, '\0');  // a part can be much longer, and begins with its format
  std::ifstream(file).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find("\"skinmask-") != begin.npos;
}

// Takes the words behind "--", which are inputs, from the line of a verb with inputs. (CLI11 would
// leave the verb there if it has an input already.) Leaves all as it is where an option without its
// value stands before the mark.
Words TakeMarked(const CLI::App& verb, Words& words) {
  const auto mark = std::find(words.begin() + 1, words.end(), "--");
  if (mark == words.end()) return {};
  const std::string& before = *(mark - 1);
  const CLI::Option* const option = verb.get_option_no_throw(before);
  const bool is_whole = before.find('=') != before.npos || before == "--json" ||
                        (option && option->get_expected_max() == 0);
  if (before.starts_with('-') && before != "-" && !is_whole) return {};
  Words inputs;
  for (auto word = mark + 1; word != words.end(); ++word)
    inputs.push_back(word->starts_with('-') && *word != "-" ? "./" + *word : *word);
  words.erase(mark, words.end());
  return inputs;
}

// --json takes a file only as --json=FILE or, for verbs with inputs, if the next word ends in
// .json. Otherwise `detect --json a.jpg` would take the photograph for the output.
CommandLine ReadCommandLine(const CLI::App& app, int argc, char** argv) {
  CommandLine line{{argv + 1, argv + argc}, {}, {}, {}};
  std::vector<std::string>& words = line.words;
  if (words[0] == "--version" || words[0] == "-V") words[0] = "version";
  const CLI::App* verb = nullptr;
  for (const CLI::App* const known : VerbsOf(app))
    if (known->get_name() == words[0]) verb = known;
  const bool positional = verb && !ArgumentsOf(*verb).empty();
  const std::vector<std::string> inputs = positional ? TakeMarked(*verb, words) : Words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const CLI::Option* const option = verb ? verb->get_option_no_throw(name) : nullptr;
    // CLI11 would take --quiet=no for its opposite.
    if (option && option->get_expected_max() == 0 && equals != name.npos) {
      line.without_value = words[i] = name;
      continue;
    }
    // The value is empty; CLI11 would take the next word for it.
    if (words[i].starts_with("--") && equals == words[i].size() - 1) {
      words[i].pop_back();
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), "");
      continue;
    }
    if (words[i] == "--") break;
    if (words[i] != "--json") continue;
    const bool dash = i + 1 < words.size() && words[i + 1] == "-";
    const bool word = i + 1 < words.size() && !words[i + 1].starts_with('-');
    const bool file = word && (!positional || words[i + 1].ends_with(".json"));
    if (file) line.json_file = words[i + 1];
    if (dash || (word && !file)) line.after_json = words[i + 1];
    if (!file) words[i] = "--json=-";
  }
  words.insert(words.end(), inputs.begin(), inputs.end());
  return line;
}

void RequireVerb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : VerbsOf(app)) verbs.push_back(verb->get_name());
  if (std::ranges::find(verbs, word) != verbs.end()) return;
  throw UsageError("there is no verb '{}'{}", word,
                   Exists(word) ? ", but a file of that name (detect makes masks of files)"
                                : Suggestion(word, verbs));
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
      if (option->get_expected_max() == 1 && option->count() > 1 &&
          option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
        return fmt::format("{} is given {} times (once)", option->get_name(), option->count());
  const std::string text = error.what();
  constexpr std::string_view kRequired = ": 1 required ", kMissing = " missing";  // CLI11's words
  const std::size_t at = text.find(kRequired);
  if (at == text.npos || !text.ends_with(kMissing)) return text;
  const std::string value = text.substr(at + kRequired.size());
  return text.substr(0, at) + " needs " + value.substr(0, value.size() - kMissing.size());
}

void RequireNoInapplicableOption(const CLI::App& verb) {
  for (const Rule& rule : kRules)
    for (const std::string& option : Parts(rule.options, ' ')) Require(verb, rule, option);
  for (const OptionRow& row : AdaptTable().rows())
    if (!row.name.empty())
      for (const Rule& rule : kRulesOfAdaptation) Require(verb, rule, FlagOf(row.name));
  if (verb.get_name() == "train" || verb.get_name() == "compare") RequireOfKinds(verb);
}

void RequireWordsInPlace(const CLI::App& verb, const CommandLine& line) {
  if (!line.without_value.empty()) throw UsageError("{} takes no value", line.without_value);
  // `show` without a model, and `calibrate`, read such files.
  const bool reads_it =
      verb.get_name() == "calibrate" || (verb.get_name() == "show" && !Has(verb, "--model"));
  if (reads_it && IsModelOrPart(line.json_file))
    throw UsageError(
        "--json {0}: is a model or a part (--json=- {0} reads it, --json={0} writes it)",
        line.json_file);
  // A camera can have any name.
  if (verb.get_name() != "live") RequireJsonFile(verb, line.after_json);
  if (verb.get_name() == "detect") RequireKindsJoined(verb);
}

}  // namespace skinmask::cli
