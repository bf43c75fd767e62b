#include "programs/cli/man_text.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace skinmask::cli {
namespace {

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
       "Writes a model again, with slopes that make P(skin) of adapted images the share of skin. "
       "Masks at the model's own threshold stay as they are.",
       {"evaluate", "train"}},
      {"compare",
       "Answers which model to take. Every kind in every colour space with every choice of "
       "channels is fitted on all folds but one and scored on that one; images stay whole. The "
       "table has mean and standard error of AUC, best F1 and log-loss, and below it stands the "
       "simplest model within one standard error of the best.",
       {"sample", "train", "evaluate"}},
      {"detect",
       "Writes a mask for each image, and a masked video for each video: white where a pixel is "
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

}  // namespace

std::string_view DescriptionOf(std::string_view verb) { return TextOfVerb(verb).description; }

std::span<const std::string_view> RelatedTo(std::string_view verb) {
  return TextOfVerb(verb).related;
}

std::string_view ProgramDescription() {
  return "Finds human skin in images, videos and live pictures. Labelled pixels train one Gaussian "
         "per class in a colour space, Bayes' rule turns them into P(skin | pixel), and a "
         "threshold makes the mask. Results go to standard output, all else to standard error. "
         "Each verb has a page of its own.";
}

std::span<const Paragraph> ExitStatuses() {
  static constexpr Paragraph kStatuses[] = {
      {"0", "All is done."},
      {"1",
       "Something could not be done, and the rest was. Each such thing has a line on standard "
       "error."},
      {"2", "The command line is wrong, and nothing was done."},
      {"130", "Interrupted: what was in flight is finished, and no file is left half written."}};
  return kStatuses;
}

std::span<const Paragraph> Variables() {
  static constexpr Paragraph kVariables[] = {
      {"SKINMASK_FACES",
       "A face detector (YuNet of the OpenCV Zoo) to use where --faces names none."},
      {"SKINMASK_TARGET",
       "Run the code for another CPU target than the best (`skinmask version` lists them). Results "
       "do not depend on it."},
      {"COLUMNS", "Width of the help on a terminal."}};
  return kVariables;
}

}  // namespace skinmask::cli
