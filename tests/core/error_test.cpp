// The text shown for an exception: its own message where that is meant for people, otherwise a
// plain sentence.
#include "core/base/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace headscope {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SentenceFor, AUserErrorIsItsOwnWords) {
  EXPECT_EQ(sentenceFor(UserError("heads: 7 does not divide 512; use 8")),
            "heads: 7 does not divide 512; use 8");
}

TEST(SentenceFor, AnExceptionsNameIsNeverAMessage) {
  const std::bad_alloc memory;
  const std::out_of_range inside("map::at");
  const std::system_error thread(std::make_error_code(std::errc::resource_unavailable_try_again),
                                 "pthread_create");
  const std::filesystem::filesystem_error file("filesystem error", "/x",
                                               std::make_error_code(std::errc::permission_denied));
  for (const std::exception* error :
       std::initializer_list<const std::exception*>{&memory, &inside, &thread, &file}) {
    const std::string sentence = sentenceFor(*error);
    for (const char* name : {"std::", "map::at", "pthread", "filesystem error", "exception"}) {
      EXPECT_FALSE(has(sentence, name)) << sentence;
    }
    EXPECT_TRUE(has(sentence, ": ")) << sentence << " says no way out";
  }
  EXPECT_TRUE(has(sentenceFor(memory), "not enough memory"));
  EXPECT_TRUE(has(sentenceFor(thread), "no thread can be started"));
  EXPECT_TRUE(has(sentenceFor(file), "/x: Permission denied"));
}

}  // namespace
}  // namespace headscope
