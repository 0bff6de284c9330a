// As rendezvous/store.h says: names for LibTorch's header.
#pragma once

namespace gloo::transport {

class Device;
class UnboundBuffer {
 public:
  virtual ~UnboundBuffer() = default;
};

}  // namespace gloo::transport
