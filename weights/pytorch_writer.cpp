// Writer of the zip format of torch.save: the pickle of an OrderedDict whose tensors name their
// storages, and the storages.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"
#include "weights/element_types.h"
#include "weights/pytorch_file.h"

namespace reprise::weights {
namespace {

constexpr const char* fix =
    "give every tensor a unique name, and a type that PyTorch files support";

const ElementType& element_type(at::ScalarType type) {
  type_name(type);  // throws for an unsupported type
  return *std::ranges::find(element_types(), type, &ElementType::type);
}

/// Writer of pickle protocol 2, with the opcodes that a state dictionary needs.
class Pickle {
 public:
  Pickle() { raw("\x80\x02"); }
  Pickle& raw(std::string_view opcodes) {
    bytes_ += opcodes;
    return *this;
  }
  Pickle& global(const std::string& module, const std::string& name) {
    return raw("c" + module + "\n" + name + "\n");
  }
  Pickle& text(const std::string& value) {
    return raw("X").little_endian(static_cast<std::uint32_t>(value.size()), 4).raw(value);
  }
  Pickle& integer(std::int64_t value) {
    // BININT for 32 bits, LONG1 of eight bytes beyond.
    if (value >= INT32_MIN && value <= INT32_MAX)
      return raw("J").little_endian(static_cast<std::uint64_t>(value), 4);
    return raw("\x8a\x08").little_endian(static_cast<std::uint64_t>(value), 8);
  }
  Pickle& tuple(at::IntArrayRef values) {
    // MARK, the items, TUPLE.
    raw("(");
    for (const auto value : values) integer(value);
    return raw("t");
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Pickle& little_endian(std::uint64_t value, std::size_t width) {
    bytes_.append(reinterpret_cast<const char*>(&value), width);
    return *this;
  }
  std::string bytes_;
};

/// Returns the pickle of an OrderedDict of tensors.
std::string state_pickle(const StateDict& tensors) {
  Pickle pickle;
  // An OrderedDict called without arguments, and a mark before its items.
  pickle.global("collections", "OrderedDict").raw(")R(");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    std::vector<std::int64_t> strides(tensor.dim(), 1);  // row-major, as the storage is written
    for (auto d = tensor.dim() - 2; d >= 0; --d)
      strides[d] = strides[d + 1] * std::max<std::int64_t>(tensor.size(d + 1), 1);
    // A type without a storage class is stored as bytes; its name follows the hooks.
    const auto& type = element_type(tensor.scalar_type());
    const bool has_class = !type.storage.empty();
    pickle.text(name)
        .global("torch._utils", has_class ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3")
        .raw("((")
        .text("storage");
    if (has_class)
      pickle.global("torch", std::string(type.storage));
    else
      pickle.global("torch.storage", "UntypedStorage");
    // The key names the file of the storage in the archive.
    pickle.text(std::to_string(i))
        .text("cpu")
        .integer(has_class ? tensor.numel() : static_cast<std::int64_t>(tensor.nbytes()));
    // BINPERSID ends the storage. Then: offset, shape, strides, and requires_grad (false).
    pickle.raw("tQ").integer(0).tuple(tensor.sizes()).tuple(strides).raw("\x89");
    pickle.global("collections", "OrderedDict").raw(")R");  // no backward hooks
    if (!has_class) pickle.global("torch", std::string(type.dtype));
    pickle.raw("tR");
  }
  // SETITEMS and STOP.
  return pickle.raw("u.").bytes();
}

void check(const StateDict& tensors) {
  std::unordered_set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second)
      throw Error("PyTorch file: the name \"" + printable(name) + "\" is given twice", fix);
    if (!tensor.defined())
      throw Error("PyTorch file: tensor \"" + printable(name) + "\" is undefined", fix);
  }
}

class ZipWriter {
 public:
  ZipWriter() : zip_(archive_write_new(), archive_write_free) {
    archive_write_set_format_zip(zip_.get());
    // As torch.save: stored without compression.
    archive_write_set_options(zip_.get(), "zip:compression=store");
    // Without this libarchive pads the last block with zeros.
    archive_write_set_bytes_in_last_block(zip_.get(), 1);
    const auto append = [](archive*, void* to, const void* from, std::size_t count) {
      static_cast<std::string*>(to)->append(static_cast<const char*>(from), count);
      return static_cast<la_ssize_t>(count);
    };
    require(archive_write_open(zip_.get(), &bytes_, nullptr, append, nullptr));
  }

  void reserve(std::size_t count) { bytes_.reserve(count); }

  void add(const std::string& name, std::string_view content) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    require(archive_write_header(zip_.get(), entry.get()));
    if (archive_write_data(zip_.get(), content.data(), content.size()) !=
        static_cast<la_ssize_t>(content.size()))
      require(ARCHIVE_FATAL);
  }

  std::string close() {
    require(archive_write_close(zip_.get()));
    return std::move(bytes_);
  }

 private:
  void require(int status) {
    if (status == ARCHIVE_OK) return;
    const char* reason = archive_error_string(zip_.get());
    throw Error(std::string("PyTorch file: the zip archive cannot be written: ") +
                    (reason != nullptr ? reason : "unknown reason"),
                "this is a fault of the program; please report it with the command that shows it");
  }

  std::string bytes_;  ///< before the archive, which writes into it while it is freed
  std::unique_ptr<archive, decltype(&archive_write_free)> zip_;
};

}  // namespace

std::string pytorch_bytes(const StateDict& tensors) {
  check(tensors);
  ZipWriter zip;
  // An estimate of the file's size, so that its text seldom grows.
  std::size_t size = 4096;
  for (const auto& [name, tensor] : tensors) size += tensor.nbytes() + 2 * name.size() + 512;
  zip.reserve(size);
  zip.add("archive/data.pkl", state_pickle(tensors));
  zip.add("archive/byteorder", "little");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor tensor = tensors[i].second.detach().cpu().contiguous();
    zip.add("archive/data/" + std::to_string(i),
            {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()});
  }
  // Version of torch.save's zip format.
  zip.add("archive/version", "3\n");
  return zip.close();
}

void write_pytorch(const std::filesystem::path& path, const StateDict& tensors) {
  write_file(path, pytorch_bytes(tensors));
}

}  // namespace reprise::weights
