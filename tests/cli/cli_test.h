// Helpers for the command-line tests: a call in this process, and a folder for each test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/cli.h"

namespace headscope {

struct CliResult {
  int status = -1;
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// `input`: the standard input.
inline CliResult runProgram(const std::vector<std::string>& arguments,
                            const std::string& input = {}) {
  std::vector<const char*> argv{"headscope"};
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  std::istringstream in(input);
  std::ostringstream out, err;
  CliResult result;
  result.status = runCli(static_cast<int>(argv.size()), argv.data(), in, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

/// The JSON that a command prints; fails the test unless the command succeeds.
inline nlohmann::json jsonOf(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const CliResult result = runProgram(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.status == 0 ? result.json() : nlohmann::json();
}

/// Checks that the command is refused as the user's mistake, in one line that holds each of
/// `parts`.
inline void expectRefused(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& parts) {
  const CliResult result = runProgram(arguments);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("headscope: ", 0), 0U) << result.err;
  EXPECT_EQ(result.err.find('\n') + 1, result.err.size()) << result.err;
  for (const auto& part : parts) {
    EXPECT_NE(result.err.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << result.err;
  }
}

inline std::string dataFile(const std::string& name) {
  return std::string(HEADSCOPE_TEST_DATA) + "/" + name;
}

/// A fresh folder for every test, removed after it.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("headscope_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The path of a file in the folder of the test, as the program writes it.
  std::string path(const std::string& name) const {
    return (folder_ / name).make_preferred().string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  bool folderIsEmpty() const { return std::filesystem::is_empty(folder_); }

 private:
  std::filesystem::path folder_;
};

}  // namespace headscope
