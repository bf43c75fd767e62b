// The pages of `man`.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "programs/cli/help.h"
#include "skinmask/base/version.h"

namespace skinmask::cli {

namespace {

struct Paragraph {
  std::string_view head, text;
  const char* option = nullptr;  // in pages of verbs, only of those that have it
};

constexpr std::string_view kProgram =
    "Finds human skin in images, videos and live pictures. Labelled pixels train one Gaussian "
    "per class in a colour space, Bayes' rule turns them into P(skin | pixel), and a "
    "threshold makes the mask. Results go to standard output, all else to standard error. "
    "Each verb has a page of its own.";

constexpr Paragraph kExitStatuses[] = {
    {"0", "All is done (or no more inputs failed than --max-failures allows)."},
    {"1",
     "Something could not be done, and the rest was. Each such thing has a line on standard "
     "error."},
    {"2", "The command line is wrong, and nothing was done."},
    {"130",
     "Interrupted: images in work are finished, a video is not, and no file is left half "
     "written."}};

constexpr Paragraph kVariables[] = {
    {"SKINMASK_FACES", "A face detector (YuNet of the OpenCV Zoo) to use where --faces names none.",
     "--faces"},
    {"SOURCE_DATE_EPOCH",
     "The date in reports and records of scores, in seconds since 1970 (they have none without).",
     "--title"},
    {"SKINMASK_TARGET",
     "Run the code for another CPU target than the best (`skinmask version` lists them). Results "
     "do not depend on it."},
    {"COLUMNS", "Width of the help on a terminal."}};

// The description of a verb, and the verbs that are used before or after it.
struct VerbText {
  std::string_view verb, description;
  std::vector<std::string_view> related;
};

const VerbText& TextOfVerb(std::string_view verb) {
  static const VerbText kTexts[] = {
      {"sample",
       "Counts every labelled pixel of images and their masks by colour, and writes one table. The "
       "images are numbered as groups, in the order of their names, so that cross-validation "
       "keeps each whole. With --samples it adds up tables instead.",
       {"train", "compare"}},
      {"train",
       "Makes a model file from labelled pixels: a Gaussian per class in a colour space, or "
       "another kind of density. The same data give the same model, byte for byte, whatever the "
       "order, the number of threads or the division into shards. The threshold is fixed, or "
       "chosen by a rule on the samples or on validation images.",
       {"sample", "compare", "calibrate", "evaluate", "show"}},
      {"calibrate",
       "Writes a model again, with curves that make P(skin) of adapted images the share of skin. "
       "Masks at the model's own threshold stay as they are.",
       {"evaluate", "train"}},
      {"compare",
       "Answers which model to take. Each of --kinds in each of --spaces, with the channels of "
       "--channels, is fitted on all folds but one and scored on that one; images stay whole. The "
       "table has mean and standard error of AUC, best F1 and log-loss, and below it stands the "
       "simplest model within one standard error of the best.",
       {"sample", "train", "evaluate"}},
      {"detect",
       "Writes a mask for each image, and a video of masks for each video: white where a pixel is "
       "skin. Each image gets a decision of its own, fitted to the faces in it. Folders are "
       "searched recursively, and outputs are named after inputs: a/b.jpg gives a/b.png in the "
       "output folder. Nothing is overwritten without --force, and files appear whole or not at "
       "all.",
       {"live", "evaluate", "train"}},
      {"live",
       "Shows the pictures of a camera, a stream, a GStreamer pipeline or a video file with their "
       "skin, in a window (the key h shows the keys), or without one records them. The newest "
       "frame always wins: one that comes while another is worked on takes the place of one that "
       "waits. A source that is lost is waited for and taken up again.",
       {"detect"}},
      {"evaluate",
       "Judges a model on images with true masks, or on tables of labelled pixels, or judges "
       "masks that were made before. It prints pooled scores and means per image; --report writes "
       "a page with curves, intervals and the worst images. With a second model both are judged on "
       "the same images.",
       {"detect", "train", "compare", "calibrate"}},
      {"show",
       "Shows what a model file holds: its kind, colour space, classes, threshold, scores and "
       "notes. --picture draws the regions of its classes.",
       {"train", "compare"}},
      {"version",
       "Shows the version, the CPU targets that the program was compiled for, those that this "
       "machine can run and the one in use, and the libraries that it runs with.",
       {}},
      {"help",
       "Shows the verbs, or every option of one with its default. In other forms it makes the "
       "pages of man, and completions for shells.",
       {}},
  };
  return *std::ranges::find(kTexts, verb, &VerbText::verb);
}

// Escapes text for troff, also at the beginning of a line. Hyphens stay ASCII hyphens.
std::string Literal(std::string_view text) {
  std::string escaped = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    constexpr std::string_view kSpecial = "\\-'\"`^~";
    constexpr std::string_view kEscapes[] = {"\\e",   "\\-",   "\\(aq", "\\(dq",
                                             "\\(ga", "\\(ha", "\\(ti"};
    const std::size_t at = kSpecial.find(c);
    at == kSpecial.npos ? escaped += c : escaped += kEscapes[at];
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Literal(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Literal(text) + "\\fR"; }

// Text between backticks is part of a command line.
std::string Prose(std::string_view text) {
  std::string troff;
  bool of_command = false;
  for (const std::string& part : Parts(text, '`'))
    troff += std::exchange(of_command, !of_command) ? Bold(part) : Literal(part);
  return troff;
}

// Formats "auto|FILE ...": literal words in bold, names with capitals in italics.
std::string Value(std::string_view value) {
  std::string troff;
  while (!value.empty()) {
    const std::string_view part = value.substr(0, value.find_first_of("| []"));
    value.remove_prefix(part.size());
    const bool name = std::ranges::any_of(part, [](unsigned char c) { return std::isupper(c); });
    if (!part.empty()) troff += name ? Italic(part) : part == "..." ? "..." : Bold(part);
    if (value.empty()) break;
    troff += value[0];
    value.remove_prefix(1);
  }
  return troff;
}

std::string Item(const std::string& head, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", head, Prose(text));
}

std::string OptionItem(const CLI::Option& option) {
  std::string head;
  for (const std::string& flag : FlagsOf(option)) head += (head.empty() ? "" : ", ") + Bold(flag);
  const std::string value = Value(ValueOf(option));
  return Item(head + (value.empty() ? "" : " " + value),
              TextOf(option) + (option.get_required() ? " (required)" : ""));
}

std::string OptionsSection(const CLI::App& verb) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : ArgumentsOf(verb))
    text += Item(Value(ValueOf(*option)), TextOf(*option));
  for (const auto& [heading, options] : GroupsOf(verb)) {
    text += fmt::format(".SS {}\n", heading);
    for (const CLI::Option* option : options) text += OptionItem(*option);
  }
  return text;
}

std::string Title(std::string name, const std::string& summary) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(
      ".\\\" Made by `skinmask help --as man`, of the flags.\n"
      ".TH {} 1 \"\" \"skinmask {}\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      upper, kVersion, Literal(name), Prose(summary));
}

std::string Paragraphs(const CLI::App& command, std::string_view heading,
                       std::span<const Paragraph> paragraphs) {
  std::string text = fmt::format(".SH {}\n", heading);
  for (const auto& [head, paragraph, option] : paragraphs)
    if (!option || !command.get_parent() || command.get_option_no_throw(option))
      text += Item(Bold(head), paragraph);
  return text;
}

// The examples at the end of the help.
std::string ExamplesOf(const CLI::App& command) {
  const std::string footer = command.get_footer();
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : CLI::detail::split(footer.substr(footer.find('\n') + 1), '\n'))
    text += Literal(CLI::detail::trim_copy(line)) + "\n";
  return text + ".fi\n";
}

std::string PageOf(std::string_view verb) {
  return Bold(verb.empty() ? "skinmask" : "skinmask-" + std::string(verb)) + "(1)";
}

// The sections at the end of both kinds of page.
std::string SectionsOf(const CLI::App& command, const std::string& pages) {
  return OptionsSection(command) + ExamplesOf(command) +
         Paragraphs(command, "EXIT STATUS", kExitStatuses) +
         Paragraphs(command, "ENVIRONMENT", kVariables) + ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace

std::string ManPage(const CLI::App& app) {
  std::string text =
      Title("skinmask", "find human skin in images and videos") +
      ".SH SYNOPSIS\n\\fBskinmask\\fR \\fIVERB\\fR [\\fIOPTION\\fR ...] [\\fIINPUT\\fR ...]\n"
      ".SH DESCRIPTION\n" +
      Prose(kProgram) + "\n.SH VERBS\n";
  std::string pages;
  for (const CLI::App* verb : VerbsOf(app)) {
    text += Item(PageOf(verb->get_name()), verb->get_description());
    pages += (pages.empty() ? "" : ",\n") + PageOf(verb->get_name());
  }
  return text + SectionsOf(app, pages);
}

std::string ManPageOfVerb(const CLI::App& verb) {
  std::string usage = Bold("skinmask " + verb.get_name()) + " [\\fIOPTION\\fR ...]";
  for (const auto& [heading, options] : GroupsOf(verb))
    for (const CLI::Option* option : options)
      if (option->get_required())
        usage += " " + Bold(FlagsOf(*option).front()) + " " + Value(ValueOf(*option));
  for (const CLI::Option* option : ArgumentsOf(verb)) {
    const std::string value = Value(ValueOf(*option));
    usage += option->get_required() ? " " + value : " [" + value + "]";
  }
  const VerbText& text = TextOfVerb(verb.get_name());
  std::string related = PageOf("");
  for (const std::string_view other : text.related) related += ",\n" + PageOf(other);
  return Title("skinmask-" + verb.get_name(), verb.get_description()) + ".SH SYNOPSIS\n" + usage +
         "\n.SH DESCRIPTION\n" + Prose(text.description) + "\n" + SectionsOf(verb, related);
}

}  // namespace skinmask::cli
