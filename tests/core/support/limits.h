// Limits that the system sets, for as long as one of these lives: how large a file may get, where
// files may be written, how large a thread's stack must be.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace headscope::test {

/// While it lives, no file grows beyond this size, as on a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

/// While it lives, no file in a folder can be added, renamed or removed. A process that runs as
/// root acts as another user meanwhile.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(::chmod(folder_.c_str(), 0555), 0);
    root_ = ::geteuid() == 0;
    EXPECT_EQ(root_ ? ::seteuid(kNobody) : 0, 0);
  }
  ~ReadOnlyFolder() {
    EXPECT_EQ(root_ ? ::seteuid(0) : 0, 0);
    ::chmod(folder_.c_str(), 0755);
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  std::filesystem::path folder_;
  bool root_ = false;
};

/// While it lives, no thread can be started: the required stack is larger than available memory.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    constexpr std::size_t kMoreThanThereIs = std::size_t{1} << 50;
    pthread_attr_init(&before_);
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, kMoreThanThereIs);
    EXPECT_EQ(pthread_setattr_default_np(&large), 0);
    pthread_attr_destroy(&large);
  }
  ~NoMoreThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace headscope::test
