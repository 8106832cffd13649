// The files of commands: no output replaces an input or has the ending of another format, and names
// refused by the system are refused with a message.
#include <filesystem>
#include <string>
#include <vector>

#include "core/formats/session.h"
#include "core/presets/presets.h"
#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class Files : public InFolder {
 protected:
  /// A copy of golden tensors: x and weights in one file.
  std::string tensors(const std::string& name) const {
    fs::copy(dataFile("small_d8_h2_t4_nobias.safetensors"), path(name));
    return path(name);
  }
  void expectKept(const std::string& file, std::vector<std::string> command,
                  const std::string& read, const std::string& written) const {
    SCOPED_TRACE(command.front() + " " + read);
    const std::string before = readAll(file);
    expectRefused(command, {written, read, "would overwrite"});
    EXPECT_EQ(readAll(file), before);
  }
};

TEST_F(Files, AnInputIsNeverOverwritten) {
  const std::string t = tensors("t.safetensors");
  expectKept(t, {"run", "--input", t, "--heads", "2", "--trace", t}, "--input", "--trace");
  expectKept(t, {"run", "--weights", t, "--heads", "2", "--trace", t}, "--weights", "--trace");
  expectKept(t, {"run", "--grad-output", t, "--trace", t}, "--grad-output", "--trace");
  expectKept(t, {"export", "--input", t, "--heads", "2", "--tensor", "x", "--out", t}, "--input",
             "--out");
  const std::string csv = write("s.csv", "a,b\n1,2\n3,4\n5,6\n");
  expectKept(csv, {"export", "--series", csv, "--tensor", "x", "--out", csv}, "--series", "--out");
  const std::string text = write("text.safetensors", "The cat sat");
  expectKept(text, {"model", dataFile("tiny-gpt2"), "--file", text, "--trace", text}, "--file",
             "--trace");
}

TEST_F(Files, NeitherByAnotherName) {
  const std::string t = tensors("t.safetensors");
  fs::create_symlink(t, path("link.safetensors"));
  fs::create_hard_link(t, path("hard.safetensors"));
  for (const char* name : {"link.safetensors", "hard.safetensors", "./t.safetensors"}) {
    expectKept(t, {"run", "--input", t, "--heads", "2", "--trace", path(name)}, "--input",
               "--trace");
    expectKept(t, {"run", "--input", path(name), "--heads", "2", "--trace", t}, "--input",
               "--trace");
  }
}

TEST_F(Files, NorThoseOfAModelOrASession) {
  fs::copy(dataFile("tiny-gpt2"), path("m"));
  const std::string weights = path("m/model.safetensors");
  expectKept(weights, {"model", path("m"), "--text", "a", "--trace", weights}, "DIR", "--trace");
  expectKept(weights,
             {"run", "--model", path("m"), "--layer", "0", "--text", "a", "--trace", weights},
             "--model", "--trace");
}

TEST_F(Files, NorTheTensorsOfASession) {
  const std::string session = path("s.headscope.json");
  formats::saveSession(session,
                       {makePreset(presetByName("by-hand"), {}, Index{1} << 30), "{}", {}, {}});
  const auto files = formats::filesOf(session);
  ASSERT_EQ(files.size(), 2U);
  const std::string tensors = files[1].string();
  expectKept(tensors, {"run", "--session", session, "--trace", tensors}, "--session", "--trace");
}

TEST_F(Files, AnotherFileIsReplaced) {
  const std::string t = tensors("t.safetensors");
  const std::string old = write("old.safetensors", "the old one");
  EXPECT_EQ(runProgram({"run", "--input", t, "--heads", "2", "--trace", old}).status, 0);
  EXPECT_NE(readAll(old), "the old one");
  EXPECT_EQ(runProgram({"run", "--input", t, "--heads", "2", "--trace", "/dev/null"}).status, 0);
}

TEST_F(Files, AWorksheetIsSmallWhateverElseIsAskedFor) {
  for (const char* flag : {"--causal", "--no-bias"}) {
    const CliResult made = runProgram({"worksheet", flag, "--pdf", path("sheet.pdf")});
    EXPECT_EQ(made.status, 0) << made.err;
  }
}

TEST_F(Files, EndingsOfOtherFormatsAreRefused) {
  expectRefused({"run", "--trace", path("t.npz")}, {"--trace", "t.npz", ".safetensors"});
  expectRefused({"run", "--trace", path("t")}, {"--trace", ".safetensors"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--text", "a", "--trace", path("t.npy")},
                {"--trace", "t.npy", ".safetensors or .npz"});
  expectRefused({"render", "--out", path("x.jpg")}, {"--out", "x.jpg", ".png"});
  expectRefused({"learn", "--steps", "1", "--out", path("w.npz")}, {"--out", ".safetensors"});
  expectRefused({"train", "--task", "cards", "--steps", "1", "--log", path("l.txt")},
                {"--log", "l.txt", ".csv"});
  expectRefused({"--trace", path("t.npz")}, {"--trace", "t.npz", ".safetensors"});
  EXPECT_TRUE(folderIsEmpty());
}

TEST_F(Files, NamesThatTheSystemRefusesAreRefusedInWords) {
  const std::string longName(300, 'n');
  const std::string longPath(5000, 'p');
  fs::create_symlink("loop.safetensors", path("loop.safetensors"));
  fs::create_directory_symlink("round", path("round"));
  for (const std::string& name : {path(longName), longPath, path("round")}) {
    SCOPED_TRACE(name.substr(0, 80));
    expectRefused({name}, {"neither a command nor a file"});
    expectRefused({"tokenize", name, "--text", "a"}, {name.substr(0, 40)});
    expectRefused({"model", name, "--text", "a"}, {name.substr(0, 40)});
    expectRefused({"run", "--session", name}, {"cannot read"});
    expectRefused({"run", "--input", name}, {"cannot read"});
    const std::string file = name == path("round") ? name + "/t" : name;
    const std::string why = name == path("round") ? "there is no folder" : "cannot write";
    expectRefused({"run", "--trace", file + ".safetensors"}, {why});
    expectRefused({"render", "--size", "320x200", "--out", file + ".png"}, {why});
    expectRefused({"export", "--pytorch", name}, {"cannot "});
    expectRefused({"train", "--task", "cards", "--steps", "1", "--save", name}, {"cannot "});
  }
  expectRefused({"run", "--trace", path("loop.safetensors")},
                {"cannot write", "Too many levels of symbolic links"});
  EXPECT_TRUE(fs::is_symlink(path("loop.safetensors")));
}

}  // namespace
}  // namespace headscope
