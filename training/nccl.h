// NCCL, by which GPUs sum among themselves (training/world.h). It lies in LibTorch's CUDA half: who loads that, and with it training/cuda,
// makes it known here before the first sum (reproduce/run/device.cpp).
#pragma once
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <functional>
#include <string>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace reprise::training {

/// Both empty where no GPU computes.
struct Nccl {
  /// Names the GPU that this process computes on: alike in all processes that compute on it, and in no other.
  std::function<std::string()> gpu;
  /// The processes' GPUs as one group, who find each other through `store`. A sum that takes longer than `limit` is an error.
  std::function<c10::intrusive_ptr<c10d::Backend>(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                  std::chrono::milliseconds limit)>
      group;
};
Nccl& nccl();

}  // namespace reprise::training
