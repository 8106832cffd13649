// Indirect: a value on the heap that is copied and compared as if it were a member, as
// std::indirect of C++26. It keeps a large or rare member small, and its type can be unknown
// where it is only held:
//
//   struct Switches;                            // defined elsewhere
//   extern template class Indirect<Switches>;   // its members are compiled in one source
//   struct Config { Indirect<Switches> switches; };
//
// After a move the source holds nothing; it can be assigned to, copied and destroyed.
#pragma once

#include <memory>
#include <utility>

namespace headscope {

template <typename T>
class Indirect {
 public:
  Indirect();
  explicit Indirect(T value);
  Indirect(const Indirect& other);
  Indirect(Indirect&& other) noexcept;
  Indirect& operator=(const Indirect& other);
  Indirect& operator=(Indirect&& other) noexcept;
  ~Indirect();

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  bool operator==(const Indirect& other) const;

 private:
  std::unique_ptr<T> value_;
};

// The members stand outside of the class: there they are not inline, and `extern template` then
// keeps a source that only holds the value from compiling them.
template <typename T>
Indirect<T>::Indirect() : value_(std::make_unique<T>()) {}
template <typename T>
Indirect<T>::Indirect(T value) : value_(std::make_unique<T>(std::move(value))) {}
template <typename T>
Indirect<T>::Indirect(const Indirect& other)
    : value_(other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_)) {}
template <typename T>
Indirect<T>::Indirect(Indirect&& other) noexcept = default;
template <typename T>
Indirect<T>& Indirect<T>::operator=(const Indirect& other) {
  return *this = Indirect(other);
}
template <typename T>
Indirect<T>& Indirect<T>::operator=(Indirect&& other) noexcept = default;
template <typename T>
Indirect<T>::~Indirect() = default;
template <typename T>
bool Indirect<T>::operator==(const Indirect& other) const {
  return **this == *other;
}

}  // namespace headscope
