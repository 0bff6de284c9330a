// Copy-on-write value. It saves memory: thousands of records have the same settings and machine.
#pragma once
#include <memory>
#include <utility>

namespace reprise::records {

/// A value that all copies of the object share. * and -> read it. edit() first copies the value if
/// other objects share it, and returns it for writing.
template <typename T>
class Shared {
 public:
  Shared() : Shared(T{}) {}
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& edit() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  bool operator==(const Shared& other) const {
    return value_ == other.value_ || *value_ == *other.value_;
  }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace reprise::records
