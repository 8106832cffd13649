#include "zoo.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/formats/session.h"

namespace headscope::monkey {
namespace {

namespace fs = std::filesystem;

constexpr std::array kGoldens{"tiny_d4_h2_t3", "plain_mha_d24_h4", "small_d8_h2_t4_nobias",
                              "gqa_d64_h8_kv2_t9", "cross_d48_h6_t5_m9"};
constexpr std::array kNothing{"missing.csv",
                              "missing.safetensors",
                              "missing.headscope.json",
                              "",
                              "picture.png",
                              "folder",
                              "folder.csv",
                              "folder.safetensors",
                              "folder.headscope.json",
                              "pipe.csv",
                              "pipe.safetensors",
                              "pipe.headscope.json"};
constexpr std::array kEndings{".csv", ".safetensors", ".headscope.json"};

}  // namespace

Zoo::Zoo(Random& random, const DocumentPtr& document) : before_(fs::current_path()) {
  fs::current_path(folder_.path());
  for (const char* name : {"folder", "folder.csv", "folder.safetensors", "folder.headscope.json"}) {
    fs::create_directory(name);
  }
  for (const char* name : {"pipe.csv", "pipe.safetensors", "pipe.headscope.json"}) {
    ::mkfifo(name, 0600);  // reading one would wait for ever
  }
  folder_.file("picture.png", "\x89PNG");
  folder_.file("series.csv", "time,load\n0,0.5\n1,0.75\n2,-1e30\n3,1e-42\n");
  folder_.file("wide.csv", "a,b,c,d,e,f,g,h\n1,2,3,4,5,6,7,8\n");
  names_ = {"series.csv", "wide.csv"};
  const fs::path tests = fs::path(HEADSCOPE_SOURCE_DIR) / "tests";
  for (const char* name : kGoldens) {
    add(golden(name), std::string(name) + ".safetensors");
  }
  const std::array kinds{"csv", "safetensors", "session"};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const auto& entry : fs::directory_iterator(tests / "fuzz" / "seeds" / kinds[kind])) {
      add(entry.path(), "seed-" + entry.path().filename().string() + kEndings[kind]);
    }
  }
  std::sort(names_.begin(), names_.end());  // a folder lists in no order
  formats::saveSession("talk.headscope.json",
                       {document, "{}", {{3, {"here"}, document, "{}"}}, {}});
  names_.emplace_back("talk.headscope.json");
  const std::vector<std::string> good = names_;
  for (int i = 0; i < 8; ++i) damage(random, random.of(good));
}

Zoo::~Zoo() { fs::current_path(before_); }

fs::path Zoo::any(Random& random) const {
  if (random.oneIn(8)) return random.of(kNothing);
  if (random.oneIn(8)) {  // what may have been saved or exported
    return random.of(std::array{"session.headscope.json", "talk.headscope.json", "a.headscope.json",
                                "weights.npy", "trace.safetensors", "by-hand.headscope.json"});
  }
  return random.of(names_);
}

void Zoo::add(const fs::path& from, const std::string& name) {
  fs::copy_file(from, name);
  names_.push_back(name);
}

/// A copy with some bytes changed, or cut.
void Zoo::damage(Random& random, const std::string& name) {
  std::string bytes = readAll(name);
  for (int i = random.between(1, 6); i > 0 && !bytes.empty(); --i) {
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  }
  if (random.oneIn(4)) bytes.resize(random.below(bytes.size() + 1));
  const std::string damaged = "damaged-" + std::to_string(names_.size()) + "-" + name;
  folder_.file(damaged, bytes);
  names_.push_back(damaged);
}

}  // namespace headscope::monkey
