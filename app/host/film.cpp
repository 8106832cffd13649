#include "app/host/film.h"

#include <utility>

#include "core/base/error.h"

namespace headscope::host {

Film::Film(const PictureRequest& request, const std::filesystem::path& shaderDir,
           Scheduler& scheduler)
    : pictures_(picturesOf(*request.film)),
      file_(FilmFile::begin(request.path, {request.width, request.height, request.film->fps})),
      encoding_(scheduler) {
  const KeepsImGuiContext kept;
  // cppcheck-suppress useInitializationList  ; the present contexts have to be kept before
  offscreen_ = std::make_unique<Offscreen>(request.width, request.height, shaderDir);
  try {
    shots_ = filmShots(request, *offscreen_);
  } catch (...) {
    offscreen_.reset();  // while its contexts are current
    throw;
  }
  offscreen_->release();
}

Film::~Film() {
  const KeepsImGuiContext kept;
  encoding_.stop();
  if (offscreen_ != nullptr) offscreen_->makeCurrent();
  shots_.reset();
  offscreen_.reset();
}

void Film::draw() {
  const KeepsImGuiContext kept;
  offscreen_->makeCurrent();
  next_ = std::make_shared<Image>(shots_->next());
  offscreen_->release();
  ++drawn_;
}

void Film::work() {
  if (next_ == nullptr && drawn_ < pictures_) draw();
  if (encoding_.busy()) return;
  if (const auto outcome = encoding_.take(); outcome && !outcome->result) {
    throw UserError(outcome->error);
  }
  if (next_ != nullptr) {
    encoding_.request([file = file_, picture = std::exchange(next_, nullptr)](const auto&) {
      file->add(std::move(*picture));
      return true;
    });
  } else if (!closing_) {
    closing_ = true;
    encoding_.request([file = file_](const auto&) {
      file->finish();
      return true;
    });
  } else {
    finished_ = true;
  }
}

void Film::wait() {
  if (next_ != nullptr || drawn_ == pictures_) encoding_.wait();
}

void writeFilm(const PictureRequest& request, const std::filesystem::path& shaderDir,
               const std::function<void(const FilmProgress&)>& report) {
  Scheduler scheduler;
  Film film(request, shaderDir, scheduler);
  while (!film.finished()) {
    film.work();
    film.wait();
    report(film.progress());
  }
}

}  // namespace headscope::host
