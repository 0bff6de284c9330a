// What LibTorch's header of its Gloo process group says of Gloo's store, so that it compiles: LibTorch's wheel holds Gloo, and not its headers.
// Nothing here is ever made or called by this program: LibTorch hands objects of its own from one place to another.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace gloo::rendezvous {

class Store {
 public:
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::vector<char>& value) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) = 0;
};

}  // namespace gloo::rendezvous
