// Background part: what the application does with each part of the program that works between
// frames. App::State lists them all, so that none is left out of waking, finishing or stopping:
//
//   BackgroundPart(training, [this](double now) { training.follow(now); })
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace headscope {

class BackgroundPart {
 public:
  using Wake = std::function<void()>;

  /// The part must outlive this object and have these members:
  ///   setWake(Wake)  sets the function that other threads call whenever there is something to draw
  ///   finish()       waits; returns whether the next frame has results to take, if it ever has
  ///   stop()         ends computations, because no further frame follows
  /// `beginFrame` takes results and requests more work, at the beginning of each frame.
  template <typename Part>
  BackgroundPart(Part& part, std::function<void(double now)> beginFrame)
      : setWake([&part](const Wake& wake) { part.setWake(wake); }),
        beginFrame(std::move(beginFrame)),
        finish([&part] {
          if constexpr (std::is_void_v<decltype(part.finish())>) {
            part.finish();
            return false;
          } else {
            return part.finish();
          }
        }),
        stop([&part] { part.stop(); }) {}

  std::function<void(const Wake& wake)> setWake;
  std::function<void(double now)> beginFrame;
  std::function<bool()> finish;
  std::function<void()> stop;
};

}  // namespace headscope
