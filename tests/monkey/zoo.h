// Zoo: a folder of good and bad files to drop; while it lives it is the current folder, so that
// what is written goes there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "random.h"
#include "tests/core/test_files.h"

namespace headscope::monkey {

class Zoo {
 public:
  Zoo(Random& random, const DocumentPtr& document);
  ~Zoo();
  Zoo(const Zoo&) = delete;
  Zoo& operator=(const Zoo&) = delete;

  /// A path in the folder, perhaps of a file written meanwhile, or one that cannot be opened.
  std::filesystem::path any(Random& random) const;

 private:
  void add(const std::filesystem::path& from, const std::string& name);
  void damage(Random& random, const std::string& name);

  TempFolder folder_;
  std::filesystem::path before_;
  std::vector<std::string> names_;
};

}  // namespace headscope::monkey
