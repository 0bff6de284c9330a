// What LibTorch's header of its Gloo process group needs to compile: LibTorch's wheel holds Gloo, and not Gloo's headers. CMakeLists.txt copies this
// to the name of each header that is included there. Nothing here is ever made or called by this program.
#ifndef REPRISE_GLOO
#define REPRISE_GLOO
#include <chrono>
#include <string>
#include <vector>

namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};
namespace rendezvous {
class Store {
 public:
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::vector<char>& value) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};
}  // namespace rendezvous
namespace transport {
class Device;
class UnboundBuffer;
}  // namespace transport
}  // namespace gloo
#endif
