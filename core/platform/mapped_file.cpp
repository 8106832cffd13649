#include "core/platform/mapped_file.h"

#if defined(__unix__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace headscope::platform {

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
namespace {

class PosixMappedFile final : public MappedFile {
 public:
  PosixMappedFile(int descriptor, std::size_t size)
      : MappedFile(mapped(descriptor, size)), descriptor_(descriptor) {}
  ~PosixMappedFile() override {
    if (!bytes().empty()) ::munmap(const_cast<char*>(bytes().data()), bytes().size());
    ::close(descriptor_);
  }

  bool complete() const override {
    struct stat now {};
    return ::fstat(descriptor_, &now) == 0 && now.st_size >= static_cast<off_t>(bytes().size());
  }

 private:
  /// Empty where it could not be.
  static std::string_view mapped(int descriptor, std::size_t size) {
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory == MAP_FAILED) return {};
    return {static_cast<const char*>(memory), size};
  }

  int descriptor_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return nullptr;
  struct stat file {};
  if (::fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size <= 0) {
    ::close(descriptor);
    return nullptr;
  }
  auto mapped =
      std::make_shared<PosixMappedFile>(descriptor, static_cast<std::size_t>(file.st_size));
  return mapped->bytes().empty() ? nullptr : mapped;
}
#else
std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path&) { return nullptr; }
#endif

}  // namespace headscope::platform
