// The last line, --json and --jsonl of detect, and what they are not written over.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/clips.h"
#include "support/record.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;
using testing::RecordTest;
using Json = nlohmann::ordered_json;

TEST_F(RecordTest, TheLastLineCounts) {
  Outcome run = Run("detect in -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(run.summary.starts_with("1 failed, 1 skipped, 2 of 3 done in ")) << run.summary;
  EXPECT_TRUE(run.summary.ends_with(" s")) << run.summary;
  EXPECT_EQ(run.err.find("notes"), std::string::npos);
  run = Run("detect in -o out --resume -v");
  EXPECT_TRUE(run.summary.starts_with("1 failed, 3 skipped, 0 of 3 done in ")) << run.summary;
  EXPECT_NE(run.err.find("in/notes.txt: is skipped"), std::string::npos) << run.err;
  // Quiet runs say it only where something went wrong.
  EXPECT_NE(Run("detect in -o out2 -q").summary, "");
  EXPECT_EQ(Run("detect in/a.png -o out3 -q").summary, "");
  EXPECT_EQ(Run("evaluate --images in --whole non-skin").summary.substr(0, 35),
            "1 failed, 1 skipped, 2 of 3 done in");
  // What is no file is an input, too.
  Put("list", "in/a.png\nhttp://a/b.png\n");
  run = Run("detect --files-from list -o out4 --adapt off");
  EXPECT_TRUE(run.summary.starts_with("1 failed, 0 skipped, 1 of 2 done")) << run.summary;
}

TEST_F(RecordTest, JsonHoldsTheWholeRun) {
  EXPECT_EQ(Run("detect in -o out --json r.json --threshold 0.25 --output mask,overlay").status, 1);
  const Json record = Record();
  ASSERT_EQ(record["failed"].size(), 1u);
  EXPECT_EQ(record["failed"][0]["input"], "in/b.jpg");
  EXPECT_TRUE(record["failed"][0]["reason"].get<std::string>().starts_with("is no image"));
  ASSERT_EQ(record["skipped"].size(), 1u);
  EXPECT_EQ(record["skipped"][0]["input"], "in/notes.txt");
  EXPECT_EQ(record["interrupted"], false);
  EXPECT_EQ(record["options"]["threshold"], "0.25");
  EXPECT_EQ(record["options"]["output"], (Json{"mask", "overlay"}));
  EXPECT_EQ(record["model"]["name"], "default");
  EXPECT_EQ(record["model"]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(record["images"].size(), 2u);
}

// A run that was cut short and then completed leaves the record of one that was not.
TEST_F(RecordTest, ResumeCompletesTheRecord) {
  Put("in/b.jpg", Encode(".jpg", Gradient(40, 48)));
  ASSERT_EQ(Run("detect in -o whole --json whole.json").status, 0);
  ASSERT_EQ(Run("detect in/b.jpg -o out --json r.json").status, 0);
  const Outcome run = Run("detect in -o out --json r.json --resume");
  ASSERT_EQ(run.status, 0) << run.err;
  Json whole = Record("whole.json"), resumed = Record();
  for (Json* images : {&whole["images"], &resumed["images"]})
    for (Json& image : *images) image.erase("outputs");
  EXPECT_EQ(resumed["images"], whole["images"]);
  EXPECT_EQ(resumed["images_with_faces"], whole["images_with_faces"]);
  // Not with other options or another model, and not over something else.
  const std::pair<std::string, std::string> refusals[] = {
      {"--threshold 0.9", "another --threshold"},
      {"--prior 0.3", "another --prior"},
      {"--model " SKINMASK_SOURCE "/models/uci.json", "another model"}};
  for (const auto& [flag, words] : refusals) {
    const Outcome refused = Run("detect in -o out --json r.json --resume " + flag);
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
  }
  EXPECT_EQ(Record()["images"].size(), 3u);
  Put("other.json", "{\"mine\": 1}");
  EXPECT_NE(Run("detect in -o out --json other.json --resume").err.find("is no record of detect"),
            std::string::npos);
  EXPECT_EQ(ReadFile(Path("other.json")), "{\"mine\": 1}");
}

TEST_F(RecordTest, ARecordThatIsNoneIsNotCompleted) {
  for (const std::string& record :
       {std::string("no record"), std::string("{}"),
        std::string(R"({"images":[],"videos":[],"options":[1]})"),
        std::string(R"({"images":[],"videos":[],"model":"m"})"),
        std::string(R"({"images":[],"videos":[],"failed":[{"input":1}]})"),
        R"({"images":[{"input":"zz","x":)" + std::string(300'000, '[') + std::string(300'000, ']') +
            R"(}],"videos":[]})"}) {
    Put("r.json", record);
    const Outcome run = Run("detect in/a.png -o out --resume --json r.json");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("skinmask: r.json: is no record of detect --json"), std::string::npos)
        << run.err;
  }
}

TEST_F(RecordTest, OutputsOfAnEarlierRunAreAmongTheOutputs) {
  ASSERT_EQ(Run("detect in/a.png -o out").status, 0);
  ASSERT_EQ(Run("detect in/a.png -o out --output mask,overlay --resume --json r.json").status, 0);
  EXPECT_EQ(Record()["images"][0]["outputs"].size(), 2u);
}

// What a run tells of itself is never written over what it reads, --force or not.
TEST_F(RecordTest, NoInputIsWrittenOver) {
  const std::string photo = ReadFile(Path("in/a.png"));
  for (const char* option : {"--jsonl in/a.png", "--csv in/a.png", "--json=in/a.png"}) {
    const Outcome run = Run("detect in -o out --force " + std::string(option));
    EXPECT_NE(run.status, 0) << option;
    EXPECT_TRUE(ReadFile(Path("in/a.png")) == photo) << option;
  }
  Put("truth/a.png", photo);
  EXPECT_EQ(Run("evaluate --images in --truth truth --force --json=truth/a.png").status, 2);
  EXPECT_TRUE(ReadFile(Path("truth/a.png")) == photo);
}

TEST_F(RecordTest, NoVerbWritesOverWhatItReads) {
  const std::string photo = ReadFile(Path("in/a.png"));
  const std::string model = ReadFile(std::filesystem::path(SKINMASK_SOURCE) / "models/uci.json");
  cv::Mat half(48, 64, CV_8UC1, cv::Scalar(255));
  half.colRange(0, 30) = 0;
  Put("truth/a.png", Encode(".png", half));
  Put("m.json", model);
  Put("list", "in/a.png\n");
  std::filesystem::create_symlink("in/a.png", Path("link.json"));
  Put("far/a.png", ReadFile(Path("truth/a.png")));
  std::filesystem::create_directory(Path("links"));
  std::filesystem::create_symlink("../far/a.png", Path("links/a.png"));
  std::filesystem::create_directory(Path("set"));
  ASSERT_EQ(std::system(("cd '" + Path("").string() +
                         "' && cp truth/a.png in/a.mask.png && tar -cf set/a.tar -C in a.png "
                         "a.mask.png && rm in/a.mask.png")
                            .c_str()),
            0);
  const std::string archive = ReadFile(Path("set/a.tar"));
  const std::string pairs = " --images in --masks truth --force ";
  for (const std::string& command :
       {"train" + pairs + "-o in/a.png", "train" + pairs + "-o link.json",
        "sample" + pairs + "-o in/a.png", "compare" + pairs + "--write in/a.png",
        std::string("sample --images in --masks links --force -o far/a.png"),
        std::string("sample --images set --force -o set/a.tar"),
        std::string("sample --images in --masks links --force -o links/a.png"),
        std::string("evaluate --images in --truth truth --force --picture in/a.png"),
        std::string("evaluate --images in --truth truth --force --json link.json"),
        std::string("evaluate --images in --truth truth --force --model m.json --json m.json"),
        std::string("detect in -o out --force --model m.json --json m.json"),
        std::string("detect in -o out --force --model m.json --csv m.json"),
        std::string("detect --files-from list -o out --force --csv list")}) {
    const Outcome run = Run(command);
    EXPECT_EQ(run.status, 1) << command;
    const bool is_text = !command.starts_with("evaluate");
    const std::string said = is_text && (command.ends_with("/a.png") || command.ends_with(".tar"))
                                 ? "and is not replaced by text"
                                 : ": is an input and is not written over";
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  }
  EXPECT_TRUE(ReadFile(Path("in/a.png")) == photo);
  EXPECT_TRUE(ReadFile(Path("set/a.tar")) == archive);
  EXPECT_EQ(ReadFile(Path("m.json")), model);
  EXPECT_EQ(ReadFile(Path("list")), "in/a.png\n");
  // What lies beside the inputs, and is none.
  for (const char* command :
       {"detect in --include a.png -o in/own.png --adapt off --force",
        "evaluate --images in --truth truth --allow-missing --picture truth/p.png --force"})
    for (int time = 0; time < 2; ++time) {
      const Outcome run = Run(command);
      EXPECT_EQ(run.status, 0) << command << run.err;
    }
  EXPECT_EQ(Run("show --model m.json --json=m.json --force").status, 2);
  EXPECT_EQ(Run("detect in -o out --csv out --force").status, 2);
}

// To insist on adaptation is another run than to leave it to the program.
TEST_F(RecordTest, ToInsistIsTold) {
  Put("truth/a.png", Encode(".png", cv::Mat(40, 30, CV_8UC1, cv::Scalar(255))));
  EXPECT_NE(Run("evaluate --images in --truth truth --adapt auto --json=r.json").status, 2);
  EXPECT_NE(ReadFile(Path("r.json")).find("\"adapt\": \"auto\""), std::string::npos);
}

TEST_F(RecordTest, NoTableIsWrittenOverAnOutput) {
  const Outcome run = Run("detect in -o out --force --csv out/a.png");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("out/a.png: is what is made of in/a.png, and a table"), std::string::npos)
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(Path("out/a.png")));
}

// What failed in the run before, and whose outputs are there all the same, goes on to count.
TEST_F(RecordTest, FailuresOfTheRunBeforeStay) {
  ASSERT_EQ(Run("detect in/a.png -o out --json r.json").status, 0);
  Json record = Record();
  record["failed"].push_back({{"input", "in/a.png"}, {"reason", "stops at frame 3"}});
  Put("r.json", record.dump());
  const Outcome run = Run("detect in/a.png -o out --json r.json --resume");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("failed in the run before: stops at frame 3"), std::string::npos)
      << run.err;
  const Outcome again = Run("detect in/a.png -o out --json r.json --resume");
  EXPECT_NE(again.err.find("in/a.png: failed in the run before: stops at"), std::string::npos)
      << again.err;
  EXPECT_EQ(Record()["failed"].size(), 1u);
  EXPECT_EQ(Record()["images"].size(), 1u);
  EXPECT_TRUE(Record()["skipped"].empty());  // it is among the images
  // An image that failed had no outputs: those that it has now are of a later run.
  record["failed"][0] = {{"input", "in/sub/c.png"}, {"reason", "is a damaged PNG"}};
  Put("r.json", record.dump());
  ASSERT_EQ(Run("detect in/a.png in/sub -o out --resume").status, 0);
  EXPECT_EQ(Run("detect in/a.png in/sub -o out --json r.json --resume").err, "");
  EXPECT_TRUE(Record()["failed"].empty());
  // A further kind of output joins those that there are.
  Run("detect in/a.png -o out --json r.json --resume --output mask,overlay");
  EXPECT_EQ(Record()["images"][0]["outputs"], (Json{"out/a.png", "out/a.overlay.png"}));
  EXPECT_NE(Run("detect in/a.png -o out --json r.json --resume --scale 1/2").err.find("--scale"),
            std::string::npos);
}

TEST_F(RecordTest, WhatFailsInTheSecondRunIsNoLongerListed) {
  std::filesystem::remove(Path("in/b.jpg"));
  const std::string detect = "detect in -o out --json r.json --csv r.csv";
  ASSERT_EQ(Run(detect).status, 0);
  ASSERT_EQ(Record()["images"].size(), 2u);
  std::filesystem::remove(Path("out/a.png"));
  Put("in/a.png", "no image");
  EXPECT_EQ(Run(detect + " --resume").status, 1);
  EXPECT_EQ(Record()["images"].size(), 1u);
  EXPECT_EQ(Record()["failed"].size(), 1u);
  EXPECT_EQ(ReadFile(Path("r.csv")).find("in/a.png"), std::string::npos);
  EXPECT_EQ(Lines(ReadFile(Path("r.csv"))), 2);  // the header, and the other image
}

// JSON holds no bytes that are not UTF-8.
TEST_F(RecordTest, NamesThatAreNotUtf8AreListedOnce) {
  for (const char* const other : {"in/b.jpg", "in/notes.txt"}) std::filesystem::remove(Path(other));
  std::filesystem::rename(Path("in/a.png"), Path("in/a\377.png"));
  for (const char* const more : {"", " --resume", " --resume"}) {
    ASSERT_EQ(Run(std::string("detect in -o out --json r.json") + more).status, 0);
    EXPECT_EQ(Record()["images"].size(), 2u);
    EXPECT_TRUE(Record()["skipped"].empty()) << Record()["skipped"];
  }
}

// Two names that JSON shows alike are two entries.
TEST_F(RecordTest, NamesThatJsonShowsAlikeStayTwo) {
  for (const char* const name : {"same/M\374ller.png", "same/M\366ller.png"})
    Put(name, Encode(".png", Gradient(20, 10)));
  Json first;
  for (const char* const more : {"", " --resume"}) {
    ASSERT_EQ(Run(std::string("detect same -o out --json r.json") + more).status, 0);
    ASSERT_EQ(Record()["images"].size(), 2u);
    if (first.is_null()) first = Record()["images"];
    EXPECT_EQ(Record()["images"], first);
  }
  EXPECT_NE(first[0]["input_bytes"], first[1]["input_bytes"]);
  // Failures have them, too. What is no base64 counts as not given.
  Put("same/M\344.png", "none");
  EXPECT_EQ(Run("detect same -o out --json r.json --resume").status, 1);
  Json record = Record();
  EXPECT_EQ(record["failed"][0].count("input_bytes"), 1u);
  for (const Json& wrong : {Json(5), Json("?")}) {
    record["failed"][0]["input_bytes"] = wrong;
    Put("r.json", record.dump());
    const Outcome run = Run("detect same -o out --json r.json --resume");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err.find("unexpected"), std::string::npos) << run.err;
  }
}

// A file whose name has U+FFFD itself is another than one whose name JSON shows so.
TEST_F(RecordTest, ANameThatLooksReplacedIsItself) {
  for (const char* const name : {"same/\377.png", "same/\357\277\275.png"})
    Put(name, Encode(".png", Gradient(20, 10)));
  ASSERT_EQ(Run("detect same -o out --json r.json").status, 0);
  const Json first = Record()["images"];
  ASSERT_EQ(Run("detect same -o out --json r.json --resume").status, 0);
  EXPECT_EQ(Record()["images"], first);
  EXPECT_TRUE(Record()["skipped"].empty());
  std::filesystem::remove_all(Path("out"));
  ASSERT_EQ(Run("detect same -o out --json r.json --resume --output mask,overlay").status, 0);
  EXPECT_EQ(Record()["images"][0]["outputs"].size(), 2u) << Record()["images"][0];
}

TEST_F(RecordTest, AFolderIsTheSameHoweverItIsSpelled) {
  ASSERT_EQ(Run("detect in/a.png -o out --json r.json").status, 0);
  const Outcome run =
      Run("detect in/a.png -o ./out/ --output mask,probability --depth 16 --json r.json --resume");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Record()["images"][0]["outputs"].size(), 2u) << Record()["images"][0];
  for (const std::string& out : {std::string("./out"), Path("out").string()}) {
    std::filesystem::remove(Path("out/a.png"));
    ASSERT_EQ(Run("detect in/a.png --json r.json --resume -o '" + out + "'").status, 0);
    EXPECT_EQ(Record()["images"][0]["outputs"].size(), 2u) << Record()["images"][0];
  }
}

// What a run writes beside its outputs is none of the next run's files.
TEST_F(RecordTest, NotesOfARunAreNoInputs) {
  const std::string detect = "detect in -o in/masks --json in/r.json --csv in/t.csv";
  EXPECT_EQ(Run(detect).status, 1);
  for (const Json& skipped : Record("in/r.json")["skipped"])
    EXPECT_EQ(skipped["input"].get<std::string>().find(".skinmask"), std::string::npos) << skipped;
}

// The images of a finished archive are in the record, so the archive is not skipped.
TEST_F(RecordTest, AFinishedArchiveIsNotListedAsSkipped) {
  std::filesystem::create_directory(Path("t"));
  ASSERT_EQ(
      std::system(("cd '" + folder_.string() + "/in' && tar cf ../t/a.tar a.png sub").c_str()), 0);
  for (const char* const more : {"", " --resume"}) {
    ASSERT_EQ(Run(std::string("detect t -o out --json r.json") + more).status, 0);
    EXPECT_EQ(Record()["images"].size(), 2u);
    EXPECT_TRUE(Record()["skipped"].empty()) << Record()["skipped"];
  }
}

TEST_F(RecordTest, ImagesOfAFinishedArchiveKeepTheirPlace) {
  Put("t/0.png", Encode(".png", Gradient(20, 10)));
  ASSERT_EQ(
      std::system(("cd '" + folder_.string() + "/in' && tar cf ../t/a.tar a.png sub").c_str()), 0);
  ASSERT_EQ(Run("detect t -o out --json r.json").status, 0);
  const Json images = Record()["images"];
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0]["input"], "t/0.png");
  ASSERT_EQ(Run("detect t -o out --json r.json --resume").status, 0);
  EXPECT_EQ(Record()["images"], images);
}

// No input is to blame for what cannot be written, so no number of failures allows it.
TEST_F(RecordTest, OutputsThatCannotBeWrittenAreNotTolerable) {
  std::filesystem::create_directories(Path("out/a.png"));
  EXPECT_EQ(Run("detect in/a.png -o out --max-failures 5").status, 1);
}

// A line that a full disk cut off within the first one is removed.
TEST_F(RecordTest, LinesBeginAnewBehindACutLine) {
  ASSERT_EQ(Run("detect in/a.png -o out --jsonl l.jsonl").status, 0);
  const std::string whole = ReadFile(Path("l.jsonl"));
  for (const std::size_t left : {std::size_t{5}, std::size_t{30}, whole.size() - 2}) {
    Put("l.jsonl", whole.substr(0, left));
    std::filesystem::remove_all(Path("out"));
    const Outcome run = Run("detect in/a.png -o out --jsonl l.jsonl --resume");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(ReadFile(Path("l.jsonl")), whole);
  }
  Put("l.jsonl", "a list of mine");
  EXPECT_EQ(Run("detect in/a.png -o out --jsonl l.jsonl --resume").status, 1);
}

TEST_F(RecordTest, LinesFollowALinkToAFileThatIsNotThereYet) {
  std::filesystem::create_directory(Path("far"));
  std::filesystem::create_symlink("far/l.jsonl", Path("l.jsonl"));
  EXPECT_EQ(Run("detect in/a.png -o out --jsonl l.jsonl").status, 0);
  EXPECT_EQ(Lines(ReadFile(Path("far/l.jsonl"))), 1);
}

TEST_F(RecordTest, JsonlHasALineForEachInput) {
  EXPECT_EQ(Run("detect in -o out --jsonl r.jsonl").status, 1);
  std::istringstream lines(ReadFile(Path("r.jsonl")));
  std::vector<Json> entries;
  for (std::string line; std::getline(lines, line);) entries.push_back(Json::parse(line));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0]["input"], "in/a.png");
  EXPECT_EQ(entries[0]["width"], 64);
  EXPECT_EQ(entries[1]["input"], "in/b.jpg");
  EXPECT_TRUE(entries[1].contains("failed"));
  EXPECT_EQ(entries[2]["input"], "in/sub/c.png");
  // To standard output it stands alone; a resumed run goes on in the file.
  EXPECT_EQ(Lines(Run("detect in -o out2 --jsonl -").out), 3);
  EXPECT_EQ(Run("detect in/a.png -o out3 --jsonl r.jsonl").status, 1);  // exists
  EXPECT_EQ(Run("detect in -o out --jsonl r.jsonl --resume").status, 1);
  EXPECT_EQ(Lines(ReadFile(Path("r.jsonl"))), 4);
  EXPECT_EQ(Run("detect in -o out4 --jsonl - --json").status, 2);
  // Nothing is added to a stranger's file, nor to half a line, which goes.
  Put("notes.txt", "my notes\n");
  EXPECT_EQ(Run("detect in -o out5 --jsonl notes.txt --resume")
                .err.find("skinmask: notes.txt: is no file of detect --jsonl"),
            0u);
  EXPECT_EQ(ReadFile(Path("notes.txt")), "my notes\n");
  const std::string whole = ReadFile(Path("r.jsonl"));
  Put("r.jsonl", whole + R"({"input":"in/)");
  Run("detect in -o out6 --jsonl r.jsonl --resume");
  EXPECT_TRUE(ReadFile(Path("r.jsonl")).starts_with(whole + "{\"input\":\"in/a.png\""));
  EXPECT_EQ(Lines(ReadFile(Path("r.jsonl"))), 7);
  // A line that lacks its end alone stays.
  Put("r.jsonl", whole + R"({"input":"x.png"})");
  Run("detect in -o out7 --jsonl r.jsonl --resume");
  EXPECT_TRUE(ReadFile(Path("r.jsonl")).starts_with(whole + "{\"input\":\"x.png\"}\n{\"input\":"));
}

// What a shell appends to, and what else writes there, stays.
TEST_F(RecordTest, StandardOutputIsNotOpenedAnew) {
  for (const char* flag : {"--csv", "--faces-csv", "--jsonl"}) {
    Put("log", "kept\n");
    const std::string run = fmt::format("cd '{}' && {{ '" SKINMASK_PROGRAM
                                        "' detect in/a.png -o out --force {} -; echo end; }} >>log",
                                        folder_.string(), flag);
    EXPECT_EQ(std::system(run.c_str()), 0);
    const std::string log = ReadFile(Path("log"));
    EXPECT_TRUE(log.starts_with("kept\n") && log.ends_with("\nend\n")) << log;
  }
}

TEST_F(RecordTest, StrangeRecordsAreNone) {
  EXPECT_EQ(Run("detect in/a.png -o out --json r.json").status, 0);
  Json record = Record();
  record["images"][0]["outputs"] = 5;
  Put("r.json", record.dump());
  std::filesystem::remove(Path("out/a.png"));
  const Outcome run = Run("detect in/a.png -o out --json r.json --resume");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("r.json: is no record of detect --json"), std::string::npos) << run.err;
}

TEST_F(RecordTest, WhatMeasuresNothingIsRefused) {
  for (const auto& [flags, line] : std::vector<std::pair<std::string, std::string>>{
           {"--erode 3", "--erode is of what is measured"},
           {"--csv a.csv --erode -1", "'-1' is no whole number from 0 to 100"},
           {"--csv a.csv --erode 1.5", "'1.5' is no whole number from 0 to 100"},
           {"--draw faces", "--draw: needs --output overlay"},
           {"--output overlay --draw face", "did you mean faces?"},
           {"--csv a.csv --faces-csv a.csv", "--csv and --faces-csv"},
           {"--csv - --faces-csv -", "standard output takes one of"}}) {
    const Outcome run = Run("detect in/a.png -o out " + flags);
    EXPECT_EQ(run.status, 2) << flags;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(line), std::string::npos) << flags << ": " << run.err;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("out/a.png")));
}

// As a scheduler or a lack of memory ends runs: nobody writes anything any more.
TEST_F(RecordTest, AKilledRunsRowsAndEntriesAreCompleted) {
  SKIP_WITHOUT_FFMPEG();
  constexpr int kImages = 40;
  Put("image.png", Encode(".png", Gradient(300, 200)));
  std::filesystem::create_directory(Path("many"));
  for (int i = 0; i < kImages; ++i)
    std::filesystem::create_hard_link(Path("image.png"),
                                      Path(fmt::format("many/{}, \"{}\".png", i + 1000, i)));
  std::string video = "YUV4MPEG2 W64 H48 F25:1 C420jpeg\n";
  for (int i = 0; i < 2000; ++i)
    video += "FRAME\n" + std::string(64 * 48 * 3 / 2, static_cast<char>(i));
  Put("many/v.y4m", video);
  const std::string detect = "detect many --adapt off ";
  ASSERT_EQ(Run(detect + "-o whole --csv whole.csv --json whole.json").status, 0);
  Json whole = Record("whole.json");
  const auto without_outputs = [](Json entries) {
    for (Json& entry : entries) entry.erase("outputs");
    return entries;
  };
  for (const std::string until : {"[ -e 'out/1003, \"3\".png' ]", "[ -e 'out/1025, \"25\".png' ]",
                                  "grep -q v.y4m .skinmask-r.csv.part"}) {
    std::filesystem::remove_all(Path("out"));
    for (const char* name : {"r.csv", "r.json"}) std::filesystem::remove(Path(name));
    const std::string run = detect + "-o out --csv r.csv --json r.json ";
    Put("run.sh", "'" SKINMASK_PROGRAM "' " + run + "& pid=$!; while kill -0 $pid && ! " + until +
                      "; do sleep 0.01; done; kill -KILL $pid; wait $pid");
    const int raw = std::system(("cd '" + folder_.string() + "' && bash run.sh >log 2>&1").c_str());
    EXPECT_EQ(WEXITSTATUS(raw), 128 + SIGKILL) << until << ReadFile(Path("log"));
    const Outcome resumed = Run(run + "--resume");
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(resumed.err, "") << until;
    EXPECT_TRUE(ReadFile(Path("r.csv")) == ReadFile(Path("whole.csv"))) << until;
    for (const char* key : {"images", "videos"})
      EXPECT_EQ(without_outputs(Record()[key]), without_outputs(whole[key])) << until;
    EXPECT_EQ(Record()["skipped"].size(), 0u);
    for (const char* name : {".skinmask-r.csv.part", ".skinmask-r.json.part"})
      EXPECT_FALSE(std::filesystem::exists(Path(name))) << name;
  }
}

// Another name of an input, which no path tells.
TEST_F(RecordTest, LinesAreNotWrittenOverAHardLinkOfAnInput) {
  std::filesystem::create_hard_link(Path("in/a.png"), Path("r.jsonl"));
  const std::string before = ReadFile(Path("in/a.png"));
  EXPECT_EQ(Run("detect in/a.png -o out --jsonl r.jsonl --force").status, 0);
  EXPECT_EQ(ReadFile(Path("in/a.png")), before);
  EXPECT_EQ(Lines(ReadFile(Path("r.jsonl"))), 1);
}

// Of /dev/stdout the target is not removed, though it is a file.
TEST_F(RecordTest, LinesGoToStandardOutputThatIsAFile) {
  for (const char* const sandbox : {"auto", "off"}) {
    ASSERT_EQ(std::system(("cd '" + folder_.string() +
                           "' && '" SKINMASK_PROGRAM
                           "' detect in/a.png -q -o out --force --jsonl /dev/stdout --sandbox " +
                           std::string(sandbox) + " >lines")
                              .c_str()),
              0);
    EXPECT_EQ(Lines(ReadFile(Path("lines"))), 1);
  }
}

// A run that is not told what to do with them leaves the notes of a killed one as they are.
TEST_F(RecordTest, NotesOfAKilledRunAreNotLost) {
  const std::string detect = "detect in/a.png --adapt off -o out --csv r.csv --json r.json ";
  ASSERT_EQ(Run(detect).status, 0);
  const std::string table = ReadFile(Path("r.csv")), entry = Record()["images"][0].dump() + "\n";
  const std::string header = table.substr(0, table.find('\n') + 1);
  for (const auto& [name, notes] : {std::pair("r.csv", table), {"r.json", entry}}) {
    const std::string part = fmt::format(".skinmask-{}.part", name);
    for (const char* const file : {"r.csv", "r.json", "out/a.png"})
      std::filesystem::remove(Path(file));
    Put(part, notes);
    const Outcome refused = Run(detect + "--threshold 0.4");
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find(std::string(name) + ": is unfinished: "), std::string::npos)
        << refused.err;
    EXPECT_EQ(ReadFile(Path(part)), notes);
    EXPECT_FALSE(std::filesystem::exists(Path("out/a.png")));
    EXPECT_EQ(Run(detect + "--force").status, 0);
    EXPECT_FALSE(std::filesystem::exists(Path(part)));
  }
  // Nor do those of another table become a table.
  std::filesystem::remove(Path("r.csv"));
  Put(".skinmask-r.csv.part", table);
  const Outcome other = Run("detect in/a.png -o out2 --adapt off --faces-csv r.csv --resume");
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("r.csv: was begun by a run that was killed, as another kind"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(ReadFile(Path(".skinmask-r.csv.part")), table);
  // A header alone is no result.
  Put(".skinmask-r.csv.part", header);
  for (const char* const file : {"r.csv", "r.json", "out/a.png"})
    std::filesystem::remove(Path(file));
  EXPECT_EQ(Run(detect).status, 0);
}

TEST_F(RecordTest, ShardsWithoutInputsAndImagesWithoutMasksAreCounted) {
  Put("i/a.png", Encode(".png", Gradient(20, 10)));
  EXPECT_TRUE(Run("detect i/a.png -o s.png --shard 2/2").summary.starts_with("0 failed, 0 skip"));
  Put("m/a.png", Encode(".png", cv::Mat(10, 20, CV_8UC1, cv::Scalar(255))));
  Put("i/b.png", Encode(".png", Gradient(20, 10)));
  const Outcome run = Run("evaluate --adapt off --images i --truth m --allow-missing -v");
  EXPECT_NE(run.err.find("i/b.png: is skipped: has no mask 'm/b.*'"), std::string::npos) << run.err;
  EXPECT_TRUE(run.summary.starts_with("0 failed, 1 skipped, 1 of 1 done")) << run.summary;
  // An image that lacks its mask is an input.
  const std::string half = "evaluate --adapt off --images i --truth m --max-failures ";
  EXPECT_TRUE(Run(half + "50%").summary.starts_with("1 failed, 0 skipped, 1 of 2 done"));
  EXPECT_EQ(Run(half + "50%").status, 0);
  EXPECT_EQ(Run(half + "49%").status, 1);
}

// One damaged photograph of a million must not hold up what a scheduler has in store.
TEST_F(RecordTest, SoManyFailuresAreTolerated) {
  for (int i = 0; i < 8; ++i)
    Put("f/" + std::to_string(i) + ".png", Encode(".png", Gradient(9, 9)));
  Put("f/bad.png", "none");
  Put("f/worse.png", "none");
  const auto status = [&](const std::string& limit) {
    const Outcome run = Run("detect --adapt off f -o out --force " + limit);
    EXPECT_EQ(Lines(run.err), run.status == 2 ? 1 : 2) << run.err;
    if (run.status != 2) {
      EXPECT_TRUE(run.summary.starts_with("2 failed")) << run.summary;
    }
    return run.status;
  };
  EXPECT_EQ(status(""), 1);
  for (const char* limit : {"2", "3", "20%", "100%", "20.5%"})
    EXPECT_EQ(status("--max-failures " + std::string(limit)), 0) << limit;
  for (const char* limit : {"0", "1", "19.9%", "0%"})
    EXPECT_EQ(status("--max-failures " + std::string(limit)), 1) << limit;
  for (const char* limit : {"-1", "1.5", "101%", "nan", "many", "%", "''"})
    EXPECT_EQ(status("--max-failures " + std::string(limit)), 2) << limit;
  // An output folder that cannot be is the fault of no input.
  Put("g/sub/a.png", Encode(".png", Gradient(9, 9)));
  Put("o/sub", "a file");
  const Outcome run = Run("detect --adapt off g -o o --max-failures 100%");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "skinmask: o/sub/a.png: cannot be written: o/sub is no folder\n");
  // A folder that holds nothing is more than one input.
  std::filesystem::create_directory(Path("none"));
  EXPECT_EQ(Run("detect --adapt off f/0.png none -o out --force --max-failures 9").status, 1);
}

}  // namespace
}  // namespace skinmask
