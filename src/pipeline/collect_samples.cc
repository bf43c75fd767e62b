#include "skinmask/pipeline/collect_samples.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <memory>
#include <utility>

#include "pipeline/labelled_pairs.h"
#include "skinmask/base/error.h"
#include "skinmask/data/color_counter.h"

namespace skinmask {

Samples CollectSamples(const PairOptions& options, const Run& run) {
  if (options.step < 1)
    throw Error(fmt::format("`step` {}", options.step), "is out of range (1 or more)");
  const LabelledPairs pairs(options, false, run);
  const auto step = static_cast<std::size_t>(options.step);
  SampleCounter all;
  for (const std::string& name : pairs.classes()) all.ClassIndex(name);
  // By pointer: TBB keeps the place of an element whose constructor threw (no memory for its
  // table), and a counter that was never made must not be asked.
  tbb::enumerable_thread_specific<std::unique_ptr<ColorCounter>> counters;
  pairs.ForEach(
      run,
      [&](std::size_t place, const LabelledImage& image) {
        std::unique_ptr<ColorCounter>& own = counters.local();
        if (!own) own = std::make_unique<ColorCounter>(pairs.classes().size());
        ColorCounter& counter = *own;
        for (int y = 0; y < image.bgr.rows; y += options.step)
          counter.CountRow(image.bgr.ptr<std::uint8_t>(y), image.classes.ptr<std::uint8_t>(y),
                           static_cast<std::size_t>(image.bgr.cols), step);
        if (!options.groups) return std::vector<SampleRow>();
        return counter.Flush(static_cast<std::uint32_t>(place + 1));
      },
      [&](std::size_t, std::vector<SampleRow>&& rows) { all.Add(std::move(rows)); });
  std::vector<ColorCounter*> each;
  for (const std::unique_ptr<ColorCounter>& counter : counters)
    if (counter) each.push_back(counter.get());
  all.Add(ColorCounter::FlushAll(each));
  return std::move(all).Finish();
}

}  // namespace skinmask
