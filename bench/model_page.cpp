#include "bench/model_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "app/host/headless.h"
#include "bench/documents.h"
#include "bench/shown_pictures.h"

namespace headscope::bench {
namespace {

constexpr int kWidth = 1600;
constexpr int kHeight = 1000;
constexpr int kFrames = 200;

std::string idsFor(int tokens) {
  std::string ids;
  for (int i = 0; i < tokens; ++i) ids += fmt::format("{}{}", i == 0 ? "" : ", ", 1 + i * 37 % 250);
  return ids;
}

/// The median and the longest, ms.
std::string inWords(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return fmt::format("{:.2f} ms, at most {:.2f}", 1e3 * seconds[seconds.size() / 2],
                     1e3 * seconds.back());
}

}  // namespace

bool measureModelPage(std::string_view argument) {
  constexpr std::string_view kFlag = "--model=";
  if (!argument.starts_with(kFlag)) return false;
  const std::size_t comma = std::min(argument.find(','), argument.size());
  int tokens = 0;
  if (comma < argument.size()) {
    std::from_chars(argument.data() + comma + 1, argument.data() + argument.size(), tokens);
  }

  host::Headless host(kWidth, kHeight);
  AppOptions options;
  options.document = documentOf(64, 8, 6);
  options.view.selection.page = ui::kModelPage;
  options.view.model.place = {std::string(argument.substr(kFlag.size(), comma - kFlag.size())),
                              idsFor(tokens)};
  App app(std::move(options));
  std::atomic<int> wakes = 0;
  app.onWake([&wakes] {
    ++wakes;
    wakes.notify_one();
  });
  ShownPictures pictures;
  const auto frame = [&] {
    const double begin = clockSeconds();
    host.frame(app);
    const double built = clockSeconds() - begin;
    pictures.read(app.scene());
    return std::pair(built, clockSeconds() - begin);
  };
  constexpr std::size_t kHeadsThere = 64;
  const double start = clockSeconds();
  double longest = 0.0;
  std::string news;  // when: the layer's own pass, the model's, the heads made small
  for (int seen = -1; pictures.count() < kHeadsThere;) {
    wakes.wait(seen);
    seen = wakes;
    news += fmt::format(" {:.2f}", clockSeconds() - start);
    longest = std::max(longest, frame().second);
  }
  fmt::print("news after{} s; all heads are drawn after {:.2f} s; the longest frame {:.0f} ms\n",
             news, clockSeconds() - start, 1e3 * longest);
  while (app.finish()) frame();

  std::vector<double> built, whole;
  for (int i = 0; i < kFrames; ++i) built.push_back(frame().first);
  fmt::print("a frame at rest: built in {}\n", inWords(built));
  host.moveMouse({kWidth * 0.4F, kHeight * 0.4F});
  built.clear();
  for (int i = 0; i < kFrames; ++i) {
    host.wheel(i < kFrames / 2 ? 0.5F : -0.5F);
    const auto [build, all] = frame();
    built.push_back(build);
    whole.push_back(all);
  }
  fmt::print("the wheel into a head and back: built in {}; with its pictures {}\n", inWords(built),
             inWords(whole));
  app.finish();  // no thread may wake destroyed objects
  return true;
}

}  // namespace headscope::bench
