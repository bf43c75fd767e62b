// --csv and --faces-csv of detect.
#include "programs/cli/frame_tables.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "programs/cli/journal.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/region.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/record.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;
using testing::RecordTest;
using Json = nlohmann::ordered_json;

TEST_F(RecordTest, TheTableGoesToStandardOutput) {
  ASSERT_EQ(Run("detect in -o out --csv r.csv").status, 1);
  const Outcome run = Run("detect in -o out --force --csv -");
  EXPECT_EQ(run.out, ReadFile(Path("r.csv")));
  EXPECT_FALSE(std::filesystem::exists(Path("-")));
  EXPECT_EQ(Run("detect in -o out --force --csv - --jsonl -").status, 2);
}

// The region in the tables is that of the map that is written.
TEST_F(RecordTest, ImagesHaveRowsAndRegions) {
  const std::string photos = (testing::SamplesFolder() / "photos").string();
  ASSERT_EQ(
      Run("detect " + photos + " -o out --output probability --csv r.csv --json r.json").status, 0);
  const Json images = Record()["images"];
  ASSERT_EQ(images.size(), 2u);
  std::istringstream lines(ReadFile(Path("r.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,input,"
            "measured_pixels,mean_red,mean_green,mean_blue,sd_red,sd_green,sd_blue,faces,any_skin");
  for (const Json& image : images) {
    const cv::Mat map = ReadImage(Path(image["outputs"][0]), {.keep_grey = true});
    const std::optional<Region> region = RegionOf(MapMomentsOf(map));
    ASSERT_TRUE(region);
    EXPECT_EQ(image["region"]["x"], region->centroid.x);
    EXPECT_EQ(image["region"]["angle_degrees"], region->angle_degrees);
    std::getline(lines, line);
    char expected[200];
    std::snprintf(expected, sizeof expected, "0,0.000000,%.6f,%.3f,%.3f,",
                  image["skin_fraction"].get<double>(), region->centroid.x, region->centroid.y);
    EXPECT_TRUE(line.starts_with(expected)) << line << "\n" << expected;
  }
}

// A table that an interrupt cut short and --resume completed is that of one run.
TEST_F(RecordTest, ATableOfTwoRunsIsThatOfOne) {
  constexpr int kImages = 60;
  // Large ones, so that most is not done when the first is seen to be.
  Put("image.png", Encode(".png", Gradient(600, 400)));
  std::filesystem::create_directory(Path("many"));
  for (int i = 0; i < kImages; ++i)
    std::filesystem::create_hard_link(Path("image.png"),
                                      Path("many/a, b" + std::to_string(1000 + i) + ".png"));
  const std::string detect = "detect many --adapt off --threads 1";
  ASSERT_EQ(Run(detect + " -o whole --csv whole.csv").status, 0);
  const std::string first = Path("out/a, b1000.png").string();
  ASSERT_EQ(Run(detect + " -o out --csv r.csv & pid=$!; while kill -0 $pid && [ ! -e '" + first +
                "' ]; do sleep 0.01; done; kill -INT $pid; wait $pid")
                .status,
            130);
  const std::string whole = ReadFile(Path("whole.csv")), part = ReadFile(Path("r.csv"));
  EXPECT_TRUE(whole.starts_with(part));
  EXPECT_EQ(Lines(part) - 1, static_cast<int>(Names(Path("out")).size()));
  EXPECT_EQ(Run(detect + " -o out --csv r.csv --resume").status, 0);
  EXPECT_EQ(ReadFile(Path("r.csv")), whole);
  // What is done again has one row.
  std::filesystem::remove(Path("out/a, b1007.png"));
  EXPECT_EQ(Run(detect + " -o out --csv r.csv --resume").status, 0);
  EXPECT_EQ(Lines(ReadFile(Path("r.csv"))), kImages + 1);
  EXPECT_EQ(Run(detect + " -o out --csv r.csv").status, 1);  // exists
  EXPECT_EQ(Run(detect + " -o out --csv r.csv --resume --force").err, "");
  EXPECT_EQ(Lines(ReadFile(Path("r.csv"))), kImages + 1);
  // What a killed run has made has no rows.
  const Outcome late = Run(detect + " -o out --csv late.csv --resume");
  EXPECT_NE(late.err.find("late.csv: has no rows of 60 of the inputs"), std::string::npos);
  EXPECT_EQ(Lines(Run(detect + " -o out --csv /dev/stdout --resume -q").out), 1);
  // A table of faces has no rows of who shows none.
  const std::string faces = detect + " -o out --faces-csv faces.csv --resume";
  EXPECT_NE(Run(faces).err.find("faces.csv: has no rows of 60 of the inputs"), std::string::npos);
  EXPECT_EQ(Run(faces).err, "");
  Put("no.csv", "a,b\n");
  EXPECT_NE(
      Run(detect + " -o out --csv no.csv --resume").err.find("is no whole table of detect --csv"),
      std::string::npos);
}

// A kill may cut a row off within its name, where a line break is the end of no row.
TEST_F(RecordTest, ARowThatAKillCutOffWithinANameIsNone) {
  const std::string photo = Encode(".png", Gradient(60, 40));
  Put("many/a\nb.png", photo);
  Put("many/c.png", photo);
  const std::string detect = "detect many --adapt off ";
  ASSERT_EQ(Run(detect + "-o whole --csv whole.csv").status, 0);
  const std::string whole = ReadFile(Path("whole.csv"));
  const std::size_t broken = whole.find("\"many/a\n");
  ASSERT_NE(broken, whole.npos);
  // Cut off behind the line break, within the name after it, and before it.
  for (const std::size_t size : {broken + 8, broken + 9, broken + 3}) {
    Put(".skinmask-r.csv.part", whole.substr(0, size));
    std::filesystem::remove_all(Path("out"));
    std::filesystem::remove(Path("r.csv"));
    EXPECT_EQ(Run(detect + "-o out --csv r.csv --resume").status, 0);
    EXPECT_EQ(ReadFile(Path("r.csv")), whole) << size;
  }
}

// What a full disk (here a limit of the sizes of files) has no room to note has no outputs, so that
// --resume makes both.
TEST_F(RecordTest, AFullDiskOfATableIsResumed) {
  constexpr int kImages = 60;
  const std::string photo = Encode(".png", Gradient(30, 20));
  for (int i = 0; i < kImages; ++i) Put("many/" + std::to_string(100 + i) + ".png", photo);
  Put("model.json", ModelToJson(DefaultModel()));
  const std::string detect = "detect many --adapt off --model model.json ";
  ASSERT_EQ(Run(detect + "-o whole --csv whole.csv --json whole.json").status, 0);
  for (const std::string file : {"--csv r.csv", "--json r.json"}) {
    const std::string out = file.substr(2, 3);
    // (Shells count in 512 or 1024 bytes; no output has so many.)
    const Outcome full =
        Run("version >/dev/null; trap '' XFSZ; ulimit -f 6; \"" SKINMASK_PROGRAM "\" " + detect +
            "-o " + out + ' ' + file + " --max-failures 100%");
    EXPECT_EQ(full.status, 1);  // no input is to blame
    EXPECT_NE(full.err.find(file.substr(file.find(' ') + 1) + ": cannot be written"),
              std::string::npos)
        << full.err;
    EXPECT_LE(Lines(full.err), 2) << full.err;  // and one of the record that is no file then
    EXPECT_LT(Names(Path(out)).size(), static_cast<std::size_t>(kImages));
    const Outcome again = Run(detect + "-o " + out + ' ' + file + " --resume");
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.err, "");
  }
  EXPECT_EQ(ReadFile(Path("r.csv")), ReadFile(Path("whole.csv")));
  EXPECT_EQ(Record()["images"].size(), static_cast<std::size_t>(kImages));
  EXPECT_TRUE(Record()["skipped"].empty());
}

// Rows of an input that is done again are replaced, also where it has no face any more.
TEST_F(RecordTest, ATableOfFacesIsCompleted) {
  Put("many/a, \"1\".png",
      Encode(".png", ReadImage(testing::SamplesFolder() / "photos/astronaut.png")));
  Put("many/b.png", Encode(".png", Gradient(60, 40)));
  Put("many/c.png", Encode(".png", ReadImage(testing::SamplesFolder() / "photos/astronaut.png")));
  const std::string detect = "detect many -o out --csv p.csv --faces-csv f.csv ";
  ASSERT_EQ(Run(detect).status, 0);
  const std::string pictures = ReadFile(Path("p.csv")), faces = ReadFile(Path("f.csv"));
  EXPECT_EQ(Lines(pictures), 4);
  EXPECT_EQ(Lines(faces), 3);
  EXPECT_NE(faces.find("\n0,0.000000,\"many/a, \"\"1\"\".png\",1,"), faces.npos) << faces;
  std::filesystem::remove(Path("out/a, \"1\".png"));
  EXPECT_EQ(Run(detect + "--resume").status, 0);
  EXPECT_EQ(Lines(ReadFile(Path("f.csv"))), 3);
  EXPECT_EQ(Lines(ReadFile(Path("p.csv"))), 4);
  Put("many/c.png", Encode(".png", Gradient(60, 40)));
  std::filesystem::remove(Path("out/c.png"));
  EXPECT_EQ(Run(detect + "--resume").status, 0);
  EXPECT_EQ(Lines(ReadFile(Path("f.csv"))), 2);
  EXPECT_EQ(Lines(ReadFile(Path("p.csv"))), 4);
  // A table of an earlier version has fewer columns.
  Put("p.csv", "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,input\n");
  const Outcome other = Run(detect + "--resume");
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("p.csv: is no whole table of detect --csv, or has other columns"),
            std::string::npos)
      << other.err;
}

// Another erosion would give rows that do not compare.
TEST_F(RecordTest, TablesOfAnotherErosionAreNotCompleted) {
  EXPECT_EQ(Run("detect in/a.png -o out --csv t.csv --erode 0").status, 0);
  const Outcome run = Run("detect in/a.png in/sub -o out --csv t.csv --resume");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("made with another --erode"), std::string::npos) << run.err;
}

// What killed runs leave: `earlier` is in the table, and `killed` in the journal, in which the rows
// of a video are between empty ones.
std::string CompletedTable(const std::filesystem::path& file, const std::string& earlier,
                           const std::string& killed, bool by_frame = false) {
  const std::string header = "frame,input,face\n";
  std::ofstream(file) << header + earlier;
  std::ofstream(file.parent_path() / (".skinmask-" + file.filename().string() + ".part"))
      << header + killed;
  cli::FrameTable table(file, IfExists::kKeep, "frame,input,face", 1, false);
  if (by_frame) table.ReplaceByFrame();
  table.DropKilled([](const std::string&) { return false; });
  table.Finish();
  return ReadFile(file).substr(header.size());
}

TEST_F(RecordTest, RowsThatTwoKilledRunsMadeAreInTheTableOnce) {
  // The first run knew another face in a.
  EXPECT_EQ(CompletedTable(Path("t.csv"), "", "0,p,1\n0,a,1\n0,a,7\n0,b,1\n\n\n0,a,2\n0,c,1\n"),
            "0,p,1\n0,b,1\n0,a,2\n0,c,1\n");
  // The picture that the first run did last is the first one of the second.
  EXPECT_EQ(CompletedTable(Path("t.csv"), "", "0,a,1\n0,a,7\n\n\n0,a,1\n"), "0,a,1\n");
  // By frame.
  EXPECT_EQ(CompletedTable(Path("t.csv"), "", "0,a,1\n1,a,1\n1,a,2\n\n\n1,a,1\n2,a,1\n", true),
            "0,a,1\n1,a,1\n2,a,1\n");
}

// The killed run had begun anew with a video that was complete, and its output is left.
TEST_F(RecordTest, RowsOfAVideoThatWasCutOffReplaceNone) {
  EXPECT_EQ(CompletedTable(Path("t.csv"), "0,a,1\n1,a,1\n0,b,1\n1,b,1\n",
                           "\n0,a,7\n\n\n0,b,7\n1,b,7\n2,b,7\n"),
            "0,b,1\n1,b,1\n0,a,7\n");
}

// Their journals are two, though names of files are limited.
TEST_F(RecordTest, TablesOfLongNamesAreTwo) {
  const std::string name(205, 'n');
  const Outcome run =
      Run("detect in/a.png -o out --csv " + name + "1.csv --faces-csv " + name + "2.csv");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* const end : {"1.csv", "2.csv"})
    EXPECT_TRUE(std::filesystem::exists(Path(name + end)));
  // A name that is too long is told before the work.
  for (const char* const option : {"--csv ", "--json=", "--jsonl "})
    EXPECT_EQ(Run("detect in/a.png -o none " + (option + std::string(256, 'n'))).err,
              "skinmask: " + std::string(256, 'n') + ": cannot be written: File name too long\n");
  EXPECT_FALSE(std::filesystem::exists(Path("none/a.png")));
}

TEST_F(RecordTest, PicturesAreNotReplacedByTables) {
  const std::string kept = Encode(".png", Gradient(8, 8));
  Put("kept.png", kept);
  for (const char* const table : {"--csv", "--faces-csv", "--jsonl"}) {
    const Outcome run = Run(fmt::format("detect in/a.png -o out {} kept.png --force", table));
    EXPECT_EQ(run.status, 1) << table;
    EXPECT_EQ(run.err,
              "skinmask: kept.png: is an image, a video or an archive by its name, and is not "
              "replaced by "
              "text\n");
    EXPECT_EQ(ReadFile(Path("kept.png")), kept);
  }
}

TEST_F(RecordTest, OneRunWritesATable) {
  const cli::Journal one(Path("t.csv"), IfExists::kFail);
  EXPECT_ERROR(cli::Journal(Path("t.csv"), IfExists::kFail),
               "t.csv: is being written by another run (");
  EXPECT_EQ(Run("detect in/a.png -o out --csv t.csv").err,
            "skinmask: t.csv: is being written by another run (another name is free)\n");
  EXPECT_FALSE(std::filesystem::exists(Path("out/a.png")));
}

}  // namespace
}  // namespace skinmask
