// The common frame of the programs: signals, threads, parsing and exit statuses.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <string>
#include <vector>

#include "base/blocking_call.h"
#include "base/elapsed.h"
#include "programs/cli/command_line.h"
#include "programs/cli/help.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/file.h"
#include "skinmask/media/isolation.h"

namespace skinmask::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// The time for an orderly end of a run: less than the promised second.
constexpr long kPatienceNanoseconds = 700'000'000;

timer_t timer;
bool has_timer = false;

// A second signal ends the program, unless it follows at once: `timeout` signals first its child
// and then its process group.
std::atomic<std::int64_t> first_request{0};  // nanoseconds
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

extern "C" void RequestStop(int signal) {
  constexpr std::int64_t kOneRequest = 300'000'000;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t time = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  std::int64_t first = 0;
  if (!first_request.compare_exchange_strong(first, time)) {
    if (time - first < kOneRequest) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  stop = true;
  // The timer repeats every tenth of a second, in case a call that blocks the end begins later.
  const itimerspec patience{{0, kPatienceNanoseconds / 7}, {0, kPatienceNanoseconds}};
  if (has_timer) timer_settime(timer, 0, &patience, nullptr);
}

// Ends the process if a decoder does not return, or if nobody reads the output. Everything else at
// the end of a run takes its normal course.
extern "C" void EndNow(int) {
  if (!BlockingCall::IsUnderWay()) return;
  UnfinishedFile::RemoveAll();
  _exit(kInterrupted);
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void InstallSignalHandlers() {
  StopWaitsBy(&stop);
  has_timer = timer_create(CLOCK_MONOTONIC, nullptr, &timer) == 0;  // the timer sends SIGALRM
  Handle(SIGALRM, EndNow);
  sigset_t timers;  // the process that started this one may have blocked SIGALRM
  sigemptyset(&timers);
  sigaddset(&timers, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &timers, nullptr);
  Handle(SIGINT, RequestStop);
  Handle(SIGTERM, RequestStop);
  // SIGHUP comes when the terminal is closed. nohup sets it to ignored, which must stay.
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) Handle(SIGHUP, RequestStop);
}

// The verb of the command line, or the program itself without a verb.
const CLI::App& CommandOf(const CLI::App& app) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs[0];
}

int UsageLine(const CLI::App& app, const std::string& problem) {
  const CLI::App& verb = CommandOf(app);
  const std::string command = &verb == &app ? "skinmask" : "skinmask " + verb.get_name();
  PrintError("{}\n",
             Error(command, fmt::format("{} (see {} --help)", WithFlags(problem), command)).what());
  return kUsage;
}

int Act(Context& context) {
  const Clock::time_point start = Clock::now();
  // Never deleted: lifting the limit may start a thread, and if the system refuses the thread, the
  // exception would leave a destructor and end the program.
  [[gnu::used]] static const auto* const threads = new tbb::global_control(
      tbb::global_control::max_allowed_parallelism,
      static_cast<std::size_t>(context.threads > 0 ? context.threads
                                                   : tbb::info::default_concurrency()));
  static_cast<void>(threads);
  // OpenCV's errors reach the user as exceptions. Its log, which OPENCV_LOG_LEVEL turns on, would
  // go to standard output; setNumThreads would be the first to write to it. One thread pool (TBB)
  // is enough.
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::setNumThreads(1);
  // OpenCV's decoders write complaints to cerr; this program prints through stdio.
  std::cerr.rdbuf(nullptr);
  InstallSignalHandlers();
  context.CheckJsonName();
  context.action(context);
  RequireOutputWritten();
  if (context.verbose) PrintError("skinmask: took {:.3f} s\n", SecondsSince(start));
  context.PrintSummary();
  if (StopFlag()) return kInterrupted;
  return context.record.IsWithin(context.max_failures) ? kDone : kPartly;
}

int RunWords(CLI::App& app, CommandLine line, Context& context) {
  if (!line.words[0].starts_with('-')) RequireVerb(app, line.words[0]);
  std::ranges::reverse(line.words);  // CLI11 expects the reverse order
  try {
    app.parse(line.words);
  } catch (const CLI::CallForHelp& help) {
    const int status = app.exit(help);
    std::cout.flush();
    RequireOutputWritten();
    return status;
  }
  const CLI::App& verb = CommandOf(app);
  RequireNoInapplicableOption(verb);
  RequireWordsInPlace(verb, line);
  if (verb.get_name() != "help") AsUsage([] { ObeyTargetVariable(); });
  NoteOptions(verb, context);
  return Act(context);
}

void Describe(CLI::App& app, int help_goes_to) {
  app.name("skinmask");
  // Must precede the verbs, which inherit it.
  app.formatter(FormatterOfHelp(help_goes_to));
  app.require_subcommand(1);
  const std::string version = "Print what the verb version prints, and exit";
  app.add_flag("-V,--version", version)->group("General");
  app.get_help_ptr()->group("General");
  app.footer("Examples:\n  skinmask detect samples/photos -o masks\n  skinmask help detect");
}

}  // namespace

const std::atomic<bool>& StopFlag() { return stop; }

int RunApp(int argc, char** argv, std::span<const VerbRow> verbs) {
  GuardStandardStreams();
  const bool alone = argc < 2;
  CLI::App app{"Finds human skin, pixel by pixel, by Bayes' rule on Gaussian class-conditionals."};
  Describe(app, alone ? STDERR_FILENO : STDOUT_FILENO);
  Context context;
  // If a verb is named, it is added alone: to add the options of all takes 2 ms.
  const auto named = std::ranges::find(verbs, alone ? "" : argv[1], &VerbRow::name);
  const bool all = named == verbs.end() || named->name == "help";
  for (const VerbRow& verb : all ? verbs : std::span(named, 1)) verb.add(app, context);
  if (alone) {
    PrintExactly(app.help(), stderr);
    return kUsage;
  }
  // Leaves no child processes behind.
  const std::shared_ptr<void> at_the_end(nullptr, [](void*) { EndDecoders(); });
  try {
    return RunWords(app, ReadCommandLine(app, argc, argv), context);
  } catch (const CLI::ParseError& e) {
    return UsageLine(app, ProblemOf(app, CommandOf(app), e));
  } catch (const UsageError& e) {
    return UsageLine(app, e.what());
  } catch (const Error& e) {
    PrintLine(e.what());
    context.PrintSummary();
    if (StopFlag()) return kInterrupted;
  } catch (const std::exception& e) {
    PrintError("{}\n", Error("skinmask: unexpected", e.what()).what());
    context.PrintSummary();
  }
  return kPartly;
}

}  // namespace skinmask::cli
