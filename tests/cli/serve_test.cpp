// Requests of other programs: answers hold what the commands print, errors are answers, and a
// model's folder is read once.
#include <fmt/format.h>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

/// Sends lines to one process and returns its answers.
std::vector<json> answersTo(const std::vector<std::string>& lines) {
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const CliResult result = runProgram({"serve", "--stdio"}, input);
  EXPECT_EQ(result.status, 0) << result.err;
  std::vector<json> answers;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  EXPECT_EQ(answers.size(), lines.size()) << result.out;
  answers.resize(lines.size());
  return answers;
}

json opening(const std::string& folder) { return {{"command", "open"}, {"folder", folder}}; }

/// Opens tiny-gpt2 as model 1 and returns the answers to these requests of it.
std::vector<json> answersOf(std::vector<json> requests) {
  std::vector<std::string> lines{opening(dataFile("tiny-gpt2")).dump()};
  for (json& request : requests) {
    request["model"] = 1;
    lines.push_back(request.dump());
  }
  std::vector<json> answers = answersTo(lines);
  answers.erase(answers.begin());
  return answers;
}

json printed(const std::string& name, const Arguments& flags) {
  Arguments all{name, dataFile("tiny-gpt2")};
  all.insert(all.end(), flags.begin(), flags.end());
  return jsonOf(all);
}

json withoutTime(json result) {
  EXPECT_TRUE(result.contains("ms")) << result;
  result.erase("ms");
  return result;
}

TEST(Serve, AnswersHoldWhatTheCommandsPrint) {
  auto answers = answersOf(
      {{{"id", 7}, {"command", "model"}, {"ids", {5, 6, 7}}, {"drop_heads", {"0.3", "1.2"}}},
       {{"id", "b"}, {"command", "model"}, {"text", "The cat"}, {"attribute", {" on", " the"}}},
       {{"id", 8}, {"command", "sweep"}, {"text", "The cat"}, {"with", "mean"}, {"token_id", 9}},
       {{"id", 9}, {"command", "why"}, {"text", "The cat"}, {"depth", 2}, {"strict", true}},
       {{"command", "tokenize"}, {"pair", {"a", "b"}}, {"no_special", nullptr}},
       {{"command", "circuits"}, {"layer", 1}, {"head", 2}}});
  EXPECT_EQ(answers[0]["id"], 7);
  EXPECT_EQ(answers[1]["id"], "b");
  EXPECT_EQ(answers[4]["id"], nullptr);
  EXPECT_EQ(withoutTime(answers[0]["result"]),
            withoutTime(printed("model", {"--ids", "5,6,7", "--drop-heads", "0.3,1.2"})));
  EXPECT_EQ(withoutTime(answers[1]["result"]),
            withoutTime(printed("model", {"--text", "The cat", "--attribute", " on, the"})));
  EXPECT_EQ(answers[2]["result"],
            printed("sweep", {"--text", "The cat", "--with", "mean", "--token-id", "9"}));
  EXPECT_EQ(answers[3]["result"], printed("why", {"--text", "The cat", "--depth", "2"}));
  EXPECT_EQ(answers[4]["result"], printed("tokenize", {"--pair", "a", "b"}));
  EXPECT_EQ(answers[5]["result"], printed("circuits", {"--layer", "1", "--head", "2"}));
}

TEST(Serve, OpenAnswersWithTheModelsConfiguration) {
  auto answers = answersTo(
      {opening(dataFile("tiny-gpt2")).dump(), opening(dataFile("families/gpt_neox")).dump()});
  EXPECT_EQ(answers[0]["result"]["model"], 1);
  EXPECT_EQ(answers[1]["result"]["model"], 2);
  EXPECT_EQ(answers[0]["result"]["config"], printed("model", {"--ids", "1"})["config"]);
  EXPECT_EQ(answers[1]["result"]["config"]["model_type"], "gpt_neox");
}

TEST(Serve, TextsReachTheCommandUnchanged) {
  for (const std::string text :
       {"[a,b]", "-5 degrees", "--ids", "{}", "%%", "a=b", "é\n\t\"", "Zero \\u0000 in it"}) {
    auto answers = answersOf({{{"command", "tokenize"}, {"text", text}}});
    EXPECT_EQ(answers[0]["result"], printed("tokenize", {"--text=" + text})) << text;
  }
  const std::string zero("a\0b", 3);
  auto answers = answersOf({{{"command", "tokenize"}, {"text", zero}}});
  EXPECT_EQ(answers[0]["result"]["offsets"].back()[1], 3) << answers[0];
}

class ServeFiles : public InFolder {
 protected:
  void copyModel() const {
    std::filesystem::copy(dataFile("tiny-gpt2"), path("model"),
                          std::filesystem::copy_options::recursive);
  }
};

TEST_F(ServeFiles, ATraceHasTheBytesOfTheCommands) {
  answersOf({{{"command", "model"},
              {"ids", {5, 6, 7}},
              {"trace", path("served.safetensors")},
              {"sites", "all"}}});
  printed("model", {"--ids", "5,6,7", "--trace", path("printed.safetensors"), "--sites", "all"});
  EXPECT_EQ(readAll(path("served.safetensors")), readAll(path("printed.safetensors")));
}

TEST_F(ServeFiles, AllSitesAreThoseThatTheModelHas) {
  const auto namesIn = [&](const std::string& model) {
    const CliResult result = runProgram(
        {"model", model, "--ids", "1,2", "--sites", "all", "--trace", path("all.safetensors")});
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string bytes = readAll(path("all.safetensors"));
    std::vector<std::string> names;
    for (const std::string name : {"attention", "network", "q", "k", "v", "heads", "residual"}) {
      if (bytes.find("\"" + name + "\":{") != std::string::npos) names.push_back(name);
    }
    return names;
  };
  const std::vector<std::string> all{"attention", "network", "q", "k", "v", "heads", "residual"};
  const std::vector<std::string> attentionAlone{"attention", "q", "k", "v", "heads", "residual"};
  EXPECT_EQ(namesIn(dataFile("tiny-gpt2")), all);
  EXPECT_EQ(namesIn("headscope:induction"), attentionAlone);
}

/// A damaged configuration is seen by the open that reads it, not before.
TEST_F(ServeFiles, AnOpenModelIsNotReadAgainUntilItIsClosed) {
  copyModel();
  const json ask{{"command", "tokenize"}, {"model", 1}, {"text", "The cat"}};
  const json close{{"command", "close"}, {"model", 1}};
  const json pass{{"command", "model"}, {"model", 1}, {"text", "The cat"}};
  const json open = opening(path("model"));
  std::string input = open.dump() + "\n" + pass.dump() + "\n";
  /// Damages the folder when the second answer is there.
  class Damaging : public std::stringbuf {
   public:
    explicit Damaging(std::function<void()> damage) : damage_(std::move(damage)) {}
    int sync() override {
      if (++answers_ == 2) damage_();
      return 0;
    }

   private:
    std::function<void()> damage_;
    int answers_ = 0;
  };
  Damaging buffer([&] {
    std::filesystem::remove(path("model/tokenizer.json"));
    write("model/config.json", "{");
  });
  std::ostream out(&buffer);
  std::ostringstream err;
  input += pass.dump() + "\n" + close.dump() + "\n" + pass.dump() + "\n" + open.dump() + "\n";
  std::istringstream in(input);
  const char* argv[] = {"headscope", "serve", "--stdio"};
  EXPECT_EQ(runCli(3, argv, in, out, err), 0) << err.str();
  std::vector<json> answers;
  std::istringstream lines(buffer.str());
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 6U) << buffer.str();
  ASSERT_TRUE(answers[2].contains("result")) << answers[2];
  EXPECT_EQ(answers[2]["result"]["predictions"], answers[1]["result"]["predictions"]);
  EXPECT_EQ(answers[3]["result"], json::object());
  EXPECT_EQ(answers[4]["error"], "no model 1 is open: give a number that \"open\" answered");
  EXPECT_NE(answers[5]["error"].get<std::string>().find("config.json"), std::string::npos);
}

TEST(Serve, AnErrorIsAnAnswerAndTheNextRequestIsServed) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {R"({"id": 2,)", "not JSON on one line"},
      {"", "not JSON on one line"},
      {"[1]", "is no object"},
      {R"({"id": 3})", "\"command\" is missing"},
      {R"({"command": "quit"})", R"("quit" is no command: send "open", "close", "model")"},
      {R"({"command": "open"})", "\"folder\" is missing"},
      {R"({"command": "open", "folder": "/nonexistent"})", "/nonexistent"},
      {R"({"command": "model", "text": "a"})", "\"model\" is missing"},
      {R"({"command": "model", "model": 2, "text": "a"})", "no model 2 is open"},
      {R"({"command": "model", "model": 1})", "give one of them"},
      {R"({"command": "model", "model": 1, "text": "a", "words": 2})",
       R"("words" is no field of the command "model")"},
      {R"({"command": "model", "model": 1, "text": "a", "json": true})", "\"json\" is no field"},
      {R"({"command": "model", "model": 1, "text": {}})", "\"text\" is {}"},
      {R"({"command": "model", "model": 1, "file": "-"})", "carries requests"},
      {R"({"command": "sweep", "model": 1, "text": "a", "over": "words"})", "--over"},
      {R"({"command": "serve", "model": 1})", "\"serve\" is no command"},
  };
  std::vector<std::string> lines{opening(dataFile("tiny-gpt2")).dump()};
  for (const auto& [line, part] : refused) lines.push_back(line);
  lines.emplace_back(R"({"id": 99, "command": "tokenize", "model": 1, "text": "a"})");
  auto answers = answersTo(lines);
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const json error = answers[i + 1].value("error", json(""));
    EXPECT_NE(error.get<std::string>().find(refused[i].second), std::string::npos)
        << answers[i + 1];
  }
  EXPECT_EQ(answers[4]["id"], 3);
  EXPECT_EQ(answers.back()["id"], 99);
  EXPECT_TRUE(answers.back().contains("result")) << answers.back();
}

TEST(Serve, NeedsStdio) { expectRefused({"serve"}, {"--stdio"}); }

TEST(StandardInput, IsTheTextOfADash) {
  for (const std::string name : {"model", "sweep", "why", "tokenize"}) {
    const std::string folder = dataFile("tiny-gpt2");
    json read = runProgram({name, folder, "--file", "-", "--json"}, "The cat").json();
    json given = printed(name, {"--text", "The cat"});
    read.erase("ms");
    given.erase("ms");
    EXPECT_EQ(read, given) << name;
  }
}

class JsonLines : public InFolder {
 protected:
  static std::vector<json> linesOf(const std::string& name, const Arguments& flags) {
    Arguments all{name, dataFile("tiny-gpt2")};
    all.insert(all.end(), flags.begin(), flags.end());
    const CliResult result = runProgram(all);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<json> lines;
    std::istringstream out(result.out);
    for (std::string line; std::getline(out, line);) {
      lines.push_back(json::parse(line));
      lines.back().erase("ms");
    }
    return lines;
  }
};

/// An object as a command prints it for one text, from a line of a file.
json fromLine(json object, const std::string& source) {
  object.erase("ms");
  object["source"] = source;
  return object;
}

TEST_F(JsonLines, HoldWhatTheCommandPrintsForEachText) {
  const std::string file = write("two.txt", "The cat\n\n[sat]\n");
  for (const std::string name : {"model", "sweep", "why", "tokenize"}) {
    const auto lines = linesOf(name, {"--jsonl", file});
    ASSERT_EQ(lines.size(), 2U) << name;
    EXPECT_EQ(lines[0], fromLine(printed(name, {"--text=The cat"}), file + ", line 1")) << name;
    EXPECT_EQ(lines[1], fromLine(printed(name, {"--text=[sat]"}), file + ", line 3")) << name;
  }
}

TEST_F(JsonLines, ComeFromTheStandardInput) {
  const auto linesFrom = [](const std::string& name, const std::string& in) {
    const CliResult result = runProgram({name, dataFile("tiny-gpt2"), "--jsonl", "-"}, in);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string objects = "{\"text\": \"The cat\"}\n{\"text\": \"[sat]\"}\n";
  for (const std::string name : {"model", "sweep", "why", "tokenize"}) {
    const std::string out = linesFrom(name, objects);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << name;
    EXPECT_NE(out.find("standard input, line 2"), std::string::npos) << name;
  }
  EXPECT_EQ(linesFrom("tokenize", objects), linesFrom("tokenize", "The cat\n[sat]\n"));
  const CliResult empty =
      runProgram({"tokenize", dataFile("tiny-gpt2"), "--jsonl", "-"}, R"({"text": ""})");
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.err.find("line 1: text is empty"), std::string::npos) << empty.err;
}

TEST_F(JsonLines, AskForTheAnswersOfEachText) {
  const std::string file = write(
      "set.jsonl", R"({"clean": "The cat", "corrupt": "The mat", "answers": [" on", " the"]})"
                   "\n"
                   R"({"clean_ids": [283, 271], "corrupt_ids": [5, 6], "answer_ids": [9, 3]})");
  const auto why = linesOf("why", {"--jsonl", file, "--depth", "1"});
  ASSERT_EQ(why.size(), 2U);
  const Arguments first{"--text", "The cat", "--token", " on", "--against", " the"};
  const Arguments second{"--ids", "283,271", "--token-id", "9", "--against-id", "3"};
  const auto with = [](Arguments flags, const Arguments& more) {
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  };
  EXPECT_EQ(why[0], fromLine(printed("why", with(first, {"--depth", "1"})), file + ", line 1"));
  EXPECT_EQ(why[1], fromLine(printed("why", with(second, {"--depth", "1"})), file + ", line 2"));
  const auto sweeps = linesOf("sweep", {"--jsonl", file, "--with", "other"});
  ASSERT_EQ(sweeps.size(), 2U);
  EXPECT_EQ(sweeps[0],
            fromLine(printed("sweep", with(first, {"--with", "other", "--other-text", "The mat"})),
                     file + ", line 1"));
  EXPECT_EQ(sweeps[1],
            fromLine(printed("sweep", with(second, {"--with", "other", "--other-ids", "5,6"})),
                     file + ", line 2"));
}

TEST_F(JsonLines, AnErrorNamesTheLine) {
  const std::string file = write("bad.jsonl", "{\"text\": \"a\"}\n{\"ids\": [1, 4000]}\n");
  const CliResult result = runProgram({"model", dataFile("tiny-gpt2"), "--jsonl", file});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("bad.jsonl, line 2"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
  expectRefused(
      {"tokenize", dataFile("tiny-gpt2"), "--jsonl", write("ids.jsonl", "{\"ids\": [1]}")},
      {"ids.jsonl, line 1", "\"text\""});
  expectRefused({"why", dataFile("tiny-gpt2"), "--jsonl", file, "--text", "a"},
                {"--jsonl", "--text"});
}

TEST(ModelFlags, LeaveOutHeadsAndPredictions) {
  const json whole = printed("model", {"--text", "The cat"});
  const json few = printed("model", {"--text", "The cat", "--no-heads", "--predictions", "2"});
  EXPECT_FALSE(few.contains("heads"));
  ASSERT_EQ(few["predictions"].size(), whole["predictions"].size());
  for (std::size_t i = 0; i < few["predictions"].size(); ++i) {
    ASSERT_EQ(few["predictions"][i].size(), 2U);
    EXPECT_EQ(few["predictions"][i][1], whole["predictions"][i][1]);
  }
  const json none = printed("model", {"--text", "The cat", "--predictions", "0"});
  EXPECT_EQ(none["predictions"], json::array());
  EXPECT_EQ(none["heads"], whole["heads"]);
  const std::string words =
      runProgram({"model", dataFile("tiny-gpt2"), "--text", "The cat", "--no-heads"}).out;
  EXPECT_EQ(words.find("labels"), std::string::npos) << words;
}

}  // namespace
}  // namespace headscope
