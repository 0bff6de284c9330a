// Data parallelism: several processes (ranks) train one network, each on its slice of every batch.
//
// All ranks start with rank 0's weights. Gradients are averaged over the ranks after each backward
// pass, so that the weights stay equal. The losses of uneven slices are weighted by their rows.
// Batch norm sees the slice of its rank alone, and each rank draws its own noise and dropout. Rank
// 0 validates and writes checkpoints.
//
// RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT describe the group, as torchrun sets
// them. With one process (WORLD_SIZE is 1 or not set) nothing is sliced and nothing is sent.
// Tensors on CPUs travel by Gloo, tensors on GPUs by NCCL, both of LibTorch. All ranks call the
// functions that communicate in the same order. Error: a rank has ended, or does not answer.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <string>
#include <vector>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace reprise::training::data_parallel {

/// Index of this process. UsageError: RANK is missing, or not below WORLD_SIZE.
std::int64_t rank();
/// Number of processes. UsageError: WORLD_SIZE is no number.
std::int64_t size();
/// Index among the ranks of this machine, which is the index of the GPU. UsageError: as rank().
std::int64_t local_rank();
/// Whether this is rank 0.
bool is_main();

/// Rows of this rank: [N, ...] to [n, ...], as even as N allows. An undefined tensor stays so.
/// UsageError: fewer rows than ranks.
at::Tensor slice(const at::Tensor& batch);
/// Scales a mean over this rank's slice of a batch of `rows` rows so that average() gives the mean
/// over the whole batch, and average_gradients() its gradient. Returns `mean` itself where the
/// ranks divide the batch.
at::Tensor weight_by_rows(const at::Tensor& mean, std::int64_t rows);
/// Seed of this rank's own draws. Rank 0 has `seed` itself.
std::uint64_t rank_seed(std::uint64_t seed);

/// Mean over the ranks.
at::Tensor average(const at::Tensor& values);
/// Replaces each gradient by its mean over the ranks. The losses of all ranks must reach the same
/// parameters.
void average_gradients(const std::vector<at::Tensor>& parameters);
/// Copies the values of rank 0 into the tensors of the other ranks.
void broadcast(const std::vector<at::Tensor>& tensors);
/// Returns the text of rank 0. The other ranks wait for it, for days if necessary.
std::string broadcast(const std::string& text);
/// Waits for all ranks. Rank 0, where they meet, must not leave first.
void barrier();

/// Backend of the GPUs of all ranks, created by the first call. Null unless LibTorch's CUDA part is
/// loaded (set in experiments/run/device.cpp).
using NcclBackend = c10d::Backend* (*)(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                       int size);
NcclBackend& nccl_backend();

}  // namespace reprise::training::data_parallel
