#include "weights/assemble.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ne.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/printable.h"
#include "core/text.h"

namespace reprise::weights {
namespace {

constexpr int deepest = 32;  // nested dictionaries; state dictionaries need a few
constexpr std::string_view parallel_prefix = "module.";  // of torch.nn.DataParallel

class Assembler {
 public:
  Assembler(Unpickler& pickle, const Storages& storages, Budget& budget,
            std::vector<Skipped>* skipped)
      : pickle_(pickle), storages_(storages), budget_(budget), skipped_(skipped) {}

  /// Returns the tensors of the file's object.
  StateDict collect(const Value& root) {
    const std::string fix = "save the dictionary: torch.save(model.state_dict(), ...)";
    if (root.kind != Value::Kind::Dict)
      throw UsageError(budget_.where() + ": contains " + printable(describe(root)) +
                           ", expected a dictionary of tensors; nothing was run",
                       fix);
    const Value& weights = find_weights(root);
    if (weights.number != root.number) skip_others(root, weights);
    flatten(weights, "", 0);
    if (state_.empty())
      throw UsageError(budget_.where() + ": contains a dictionary without tensors" + list_objects(),
                       fix);
    // The prefix is removed only if all names have it.
    const bool parallel = std::ranges::all_of(
        state_, [](const auto& named) { return named.first.starts_with(parallel_prefix); });
    std::unordered_set<std::string_view> names;
    for (auto& [name, tensor] : state_) {
      if (parallel) name.erase(0, parallel_prefix.size());
      if (!names.insert(name).second) refuse("\"" + name + "\" is given twice");
    }
    if (skipped_ != nullptr) *skipped_ = std::move(all_skipped_);
    return std::move(state_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw UsageError(
        budget_.where() + ": " + printable(problem),
        "the file is damaged, or no state dictionary: fetch it again, or save it again from "
        "PyTorch");
  }

  std::string describe(const Value& value) const {
    return std::string(kind_text(value.kind)) +
           (value.kind == Value::Kind::Opaque ? " of " + pickle_.name_of(value) : "");
  }

  /// Returns a key as part of a name; none if it is neither a text nor an integer.
  static std::optional<std::string> key_text(const Value& key) {
    if (key.kind == Value::Kind::Text) return std::string(key.text);
    if (key.kind == Value::Kind::Int) return std::to_string(key.number);
    return std::nullopt;
  }

  void skip(const Value& key, const std::string& prefix, const Value& value) {
    const auto name = key_text(key).value_or(std::string(kind_text(key.kind)));
    const auto text = describe(value);
    budget_.spend(sizeof(Skipped) + prefix.size() + name.size() + text.size());
    all_skipped_.push_back({.name = prefix + name, .what = text});
  }

  void skip_others(const Value& root, const Value& weights) {
    const auto& items = pickle_.items(root);
    // Keys and values take turns.
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i + 1].kind != weights.kind || items[i + 1].number != weights.number)
        skip(items[i], "", items[i + 1]);
  }

  /// Returns a list of the objects in place of tensors, for the message.
  std::string list_objects() const {
    std::vector<std::string> names;
    for (const auto& one : all_skipped_)
      if (one.what.starts_with("an object"))
        names.push_back(printable(one.name) + ": " + printable(one.what));
    return names.empty() ? "" : " (" + first_few(names) + ")";
  }

  /// Finds the state dictionary among an optimiser's, an epoch, ... as training scripts save them.
  const Value& find_weights(const Value& root) const {
    const auto& items = pickle_.items(root);
    for (const std::string_view usual : {"state_dict", "model_state_dict", "model"})
      for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].kind == Value::Kind::Text && items[i].text == usual &&
            items[i + 1].kind == Value::Kind::Dict)
          return items[i + 1];
    return root;
  }

  void flatten(const Value& dictionary, const std::string& prefix, int depth) {
    if (depth > deepest) refuse("has dictionaries nested more than 32 deep");
    const auto& items = pickle_.items(dictionary);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      const auto& [key, value] = std::tie(items[i], items[i + 1]);
      // Paid here: dictionaries that contain each other twice at every level multiply far beyond
      // their bytes.
      budget_.spend(sizeof(StateDict::value_type) + prefix.size() + key.text.size());
      if (value.kind == Value::Kind::Opaque && pickle_.holds_tensor(value))
        refuse_object(key, prefix, value);
      if (value.kind != Value::Kind::Tensor && value.kind != Value::Kind::Dict) {
        skip(key, prefix, value);
        continue;
      }
      const auto last = key_text(key);
      if (!last) refuse("has a name that is " + std::string(kind_text(key.kind)));
      const std::string name = prefix + *last;
      if (value.kind == Value::Kind::Dict)
        flatten(value, name + ".", depth + 1);
      else
        state_.emplace_back(name, tensor(pickle_.tensor(value), name));
    }
  }

  [[noreturn]] void refuse_object(const Value& key, const std::string& prefix,
                                  const Value& value) const {
    const std::string name = prefix + (key.kind == Value::Kind::Text ? std::string(key.text) : "");
    throw UsageError(
        budget_.where() + ": \"" + printable(name) + "\" is " + printable(describe(value)) +
            ", which is made of tensors and is not supported; nothing was run",
        "save plain tensors from PyTorch: x.to_dense() for sparse ones, x.dequantize() for quantised "
        "ones, model.state_dict() for modules");
  }

  [[noreturn]] void refuse_type(const std::string& name, std::string_view type) const {
    throw UsageError(
        budget_.where() + ": tensor \"" + printable(name) + "\" is of the type " + printable(type) +
            ", which is not supported",
        "save it from PyTorch as another type: {k: v.float() for k, v in state.items()}; for "
        "quantised ones v.dequantize()");
  }

  at::Tensor tensor(const TensorReference& reference, const std::string& name) {
    if (reference.type == at::ScalarType::Undefined) refuse_type(name, reference.unread);
    const auto& storage = pickle_.storages()[reference.storage];
    if (storage.type == at::ScalarType::Undefined) refuse_type(name, storage.unread);
    const auto found = storages_.find(std::string(storage.key));
    if (found == storages_.end())
      refuse("tensor \"" + name + "\" needs storage " + std::string(storage.key) +
             ", which is missing");
    const at::Tensor& bytes = found->second;
    // Offsets and counts of a storage are in its elements; the bytes are as in the file.
    const auto width = static_cast<std::int64_t>(c10::elementSize(storage.type));
    const std::int64_t held = bytes.numel() / width;
    if (storage.first > held || storage.count > held - storage.first)
      refuse("tensor \"" + name + "\" needs a storage of " + std::to_string(storage.count) +
             " elements, but the file holds " + std::to_string(held));
    // For types without a storage class, the storage counts bytes.
    const auto element = static_cast<std::int64_t>(c10::elementSize(reference.type));
    if (storage.first * width % element != 0)
      refuse("tensor \"" + name + "\" begins within an element of its storage");
    const auto first = storage.first * width / element;
    check_extent(reference, storage.count * width / element, name);
    budget_.spend(sizeof(at::TensorImpl) + sizeof(c10::StorageImpl));
    // A view: tensors that share a storage in the file share it here.
    at::Tensor view = at::empty({0}, at::TensorOptions().dtype(reference.type));
    view.set_(bytes.storage(), first + reference.offset, reference.sizes, reference.strides);
    if (reference.type != at::kBool) return view;
    // A byte other than 0 and 1 is not a valid bool in C++, so the bytes are compared as bytes.
    at::Tensor raw = at::empty({0}, at::TensorOptions().dtype(at::kByte));
    raw.set_(bytes.storage(), first + reference.offset, reference.sizes, reference.strides);
    return raw.ne(0);
  }

  /// Checks that the last element lies in the storage, and pays the full size of a view. Views can
  /// overlap or have stride 0, and must not grow without bound when they are written elsewhere.
  void check_extent(const TensorReference& reference, std::int64_t count, const std::string& name) {
    std::int64_t elements = 1;
    std::int64_t span = 1;
    // Index of the last element: the offset, and for each dimension (size - 1) strides.
    std::int64_t last = reference.offset;
    bool overflow = false;
    bool empty = false;
    for (std::size_t d = 0; d < reference.sizes.size(); ++d) {
      const std::int64_t size = reference.sizes[d];
      empty |= size == 0;
      overflow |= __builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements);
      overflow |=
          __builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), reference.strides[d], &span);
      overflow |= __builtin_add_overflow(last, span, &last);
    }
    // 2^56 elements exceed any memory, and leave room for the bytes of an element in 64 bits.
    if (overflow || elements > (std::int64_t{1} << 56))
      refuse("tensor \"" + name + "\" has a shape or strides beyond any memory");
    if (empty ? reference.offset > count : last >= count)
      refuse("tensor \"" + name + "\" reaches element " + std::to_string(last) +
             " of a storage that has " + std::to_string(count));
    if (!empty)
      budget_.spend(static_cast<std::uint64_t>(elements) * c10::elementSize(reference.type));
  }

  Unpickler& pickle_;
  const Storages& storages_;
  Budget& budget_;
  std::vector<Skipped>* skipped_;
  std::vector<Skipped> all_skipped_;
  StateDict state_;
};

}  // namespace

StateDict assemble(Unpickler& pickle, const Value& root, const Storages& storages, Budget& budget,
                   std::vector<Skipped>* skipped) {
  return Assembler(pickle, storages, budget, skipped).collect(root);
}

}  // namespace reprise::weights
