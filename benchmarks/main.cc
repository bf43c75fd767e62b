// Runs all benchmarks, prints one table and writes bench.json: skinmask_bench SAMPLES WORK
// BENCH.JSON COMMIT
#include <fmt/format.h>
#include <tbb/info.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "results.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/file.h"

namespace skinmask::bench {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

std::string Machine() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

void Print(const Results& results) {
  fmt::print("{:<30} {:>10} {:>8} {:>10}\n", "name", "size", "threads", "Mpx/s");
  for (const Result& r : results)
    fmt::print("{:<30} {:>10} {:>8} {:>10.1f}\n", r.name, r.size, r.threads, r.mpx_per_s);
}

void Write(const Results& results, const std::string& path, const std::string& commit) {
  nlohmann::ordered_json root{
      {"machine", fmt::format("{}, {} threads", Machine(), ThreadCounts().back())},
      {"compiler", kCompiler},
      {"target", ActiveTarget()},
      {"commit", commit}};
  for (const Result& r : results)
    root["results"].push_back(
        {{"name", r.name}, {"mpx_per_s", r.mpx_per_s}, {"threads", r.threads}, {"size", r.size}});
  WriteFile(path, root.dump(2) + "\n", IfExists::kReplace);
}

}  // namespace

std::vector<int> ThreadCounts() {
  const int all = tbb::info::default_concurrency();
  return all > 1 ? std::vector<int>{1, all} : std::vector<int>{1};
}

}  // namespace skinmask::bench

int main(int argc, char** argv) {
  using namespace skinmask;
  if (argc != 5) return 2;
  try {
    ObeyTargetVariable();
    const std::string samples = argv[1];
    bench::Results results;
    bench::BenchKernels(samples, results);
    bench::BenchAdapt(samples, results);
    bench::BenchFolders(samples, argv[2], results);
    bench::BenchVideos(samples, argv[2], results);
    bench::Print(results);
    bench::Write(results, argv[3], argv[4]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench: {}\n", e.what());
    return 1;
  }
}
