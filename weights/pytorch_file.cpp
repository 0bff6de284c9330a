#include "weights/pytorch_file.h"

#include <ATen/ops/empty.h>
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "core/printable.h"
#include "weights/assemble.h"
#include "weights/budget.h"
#include "weights/pickle.h"

namespace reprise::weights {
namespace {

constexpr std::string_view zip_magic = "PK\x03\x04";
// Pickle protocol 2, LONG1 of 10 bytes: 0x1950a86a20f9469cfc6c, STOP. The next pickle is the
// protocol.
constexpr std::string_view stream_magic = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
constexpr std::int64_t stream_protocol = 1001;
constexpr std::size_t piece = 4 << 20;  // bytes copied before their source is released

/// The file being read.
struct Source {
  std::string_view bytes;
  const std::string& where;
  const Release& release;
};

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw UsageError(
      where + ": " + printable(problem),
      "the file is damaged, or not written by torch.save: fetch it again, or save it again from "
      "PyTorch");
}

at::Tensor make_storage(std::uint64_t size, Budget& budget) {
  budget.spend(size + sizeof(at::TensorImpl));
  return at::empty({static_cast<std::int64_t>(size)}, at::TensorOptions().dtype(at::kByte));
}

struct CloseArchive {
  void operator()(archive* zip) const { archive_read_free(zip); }
};

/// Relevant content of a zip file: the pickle, and the files in data/.
struct ZipContent {
  std::string folder, pickle, byte_order;
  bool found = false;
  Storages storages;  ///< full path -> bytes
};

/// Copies bytes in pieces, and releases each before the next.
void copy_out(char* to, std::string_view from, const Release& release) {
  for (; !from.empty(); from.remove_prefix(std::min(piece, from.size()))) {
    const auto part = from.substr(0, piece);
    std::memcpy(to, part.data(), part.size());
    to += part.size();
    if (release) release(part);
  }
}

std::string zip_reason(archive* zip) {
  return archive_error_string(zip) != nullptr ? std::string(": ") + archive_error_string(zip) : "";
}

/// Reads the content of an entry. For uncompressed entries, libarchive returns parts of the file
/// itself, each at most `piece` long.
void read_entry(archive* zip, std::int64_t size, char* to, const std::string& name,
                const Source& source) {
  std::int64_t at = 0;
  while (true) {
    const void* block = nullptr;
    std::size_t count = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(zip, &block, &count, &offset);
    if (status == ARCHIVE_EOF) break;
    // The checksum is compared at the end of the entry.
    if (status != ARCHIVE_OK && at == size)
      refuse(source.where, "zip entry " + name + " is damaged" + zip_reason(zip));
    if (status != ARCHIVE_OK)
      refuse(source.where, "zip entry " + name + " cannot be read" + zip_reason(zip));
    if (offset != at || static_cast<std::int64_t>(count) > size - at)
      refuse(source.where, "zip entry " + name + " has another size than it states");
    const std::string_view part(static_cast<const char*>(block), count);
    const bool in_file =
        std::less_equal<>()(source.bytes.data(), part.data()) &&
        std::less_equal<>()(part.data() + part.size(), source.bytes.data() + source.bytes.size());
    copy_out(to + at, part, in_file ? source.release : Release());
    at += static_cast<std::int64_t>(count);
  }
  if (at != size) refuse(source.where, "zip entry " + name + " cannot be read to its end");
}

/// Adds an entry to the content, if it is relevant.
void take_entry(archive* zip, archive_entry* entry, ZipContent& content, Budget& budget,
                const Source& source) {
  const char* utf8 = archive_entry_pathname_utf8(entry);
  const char* path = utf8 != nullptr ? utf8 : archive_entry_pathname(entry);
  const std::string name = path != nullptr ? path : "";
  const bool pickle =
      name == "data.pkl" || (name.ends_with("/data.pkl") && std::ranges::count(name, '/') == 1);
  const bool order = name == "byteorder" || name.ends_with("/byteorder");
  if (!pickle && !order && name.find("data/") == std::string::npos) return;
  if (!archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0)
    refuse(budget.where(), "zip entry " + name + " has no size");
  const auto size = static_cast<std::uint64_t>(archive_entry_size(entry));
  if (pickle || order) {
    if (pickle && content.found)
      refuse(budget.where(), "has two pickles, " + content.folder + "data.pkl and " + name);
    budget.spend(size);
    std::string& text = pickle ? content.pickle : content.byte_order;
    text.resize(size);
    read_entry(zip, static_cast<std::int64_t>(size), text.data(), name, source);
    content.found |= pickle;
    if (pickle) content.folder = name.substr(0, name.size() - std::string_view("data.pkl").size());
  } else {
    at::Tensor bytes = make_storage(size, budget);
    read_entry(zip, static_cast<std::int64_t>(size), static_cast<char*>(bytes.data_ptr()), name,
               source);
    if (!content.storages.emplace(name, bytes).second)
      refuse(budget.where(), "has zip entry " + name + " twice");
  }
}

ZipContent unzip(const Source& source, Budget& budget) {
  const std::unique_ptr<archive, CloseArchive> zip(archive_read_new());
  archive_read_support_format_zip_seekable(zip.get());
  const auto fail = [&] {
    refuse(budget.where(), "is not a complete zip file" + zip_reason(zip.get()));
  };
  if (archive_read_open_memory2(zip.get(), source.bytes.data(), source.bytes.size(), piece) !=
      ARCHIVE_OK)
    fail();
  ZipContent content;
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(zip.get(), &entry);
    if (status == ARCHIVE_EOF) return content;
    // Warnings are about names that the locale cannot display, and do not matter here.
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail();
    take_entry(zip.get(), entry, content, budget, source);
  }
}

/// Checks the pickles before the object (magic number, protocol, system) and returns their end.
std::size_t read_preamble(std::string_view bytes, Budget& budget) {
  Unpickler protocol(bytes, stream_magic.size(), budget);
  const Value version = protocol.load();
  if (version.kind != Value::Kind::Int || version.number != stream_protocol)
    refuse(budget.where(), "has an unknown protocol, expected 1001");
  Unpickler system(bytes, protocol.position(), budget);
  const Value info = system.load();
  if (info.kind != Value::Kind::Dict)
    refuse(budget.where(), "does not name the system that wrote it");
  const auto& items = system.items(info);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].text == "little_endian" && items[i + 1].number == 0)
      refuse(budget.where(), "was written on a big-endian machine, which is not supported");
  return system.position();
}

/// Reads the list of keys and the raw storages, which follow in its order.
Storages read_storages(std::string_view bytes, const Unpickler& object, Budget& budget,
                       const Release& release) {
  // The stream has no types; the pickle of the object named them.
  std::unordered_map<std::string_view, at::ScalarType> types;
  for (const auto& storage : object.storages()) types.emplace(storage.key, storage.type);
  Unpickler list(bytes, object.position(), budget);
  const Value keys = list.load();
  if (keys.kind != Value::Kind::List) refuse(budget.where(), "has no list of storages");
  bytes.remove_prefix(list.position());
  Storages storages;
  for (const auto& key : list.items(keys)) {
    const auto type = types.find(key.text);
    if (key.kind != Value::Kind::Text || type == types.end())
      refuse(budget.where(), "lists a storage that no tensor names");
    const std::string name = "storage " + std::string(key.text);
    // Eight bytes: the number of elements.
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) refuse(budget.where(), "ends before " + name);
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (type->second == at::ScalarType::Undefined)
      throw UsageError(
          budget.where() + ": " + printable(name) +
              " is of a type that is not supported, and its size is not known",
          "load it in PyTorch, and save plain tensors: v.dequantize() for quantised ones");
    // From elements to bytes.
    if (__builtin_mul_overflow(size, c10::elementSize(type->second), &size) || size > bytes.size())
      refuse(budget.where(), "ends inside " + name);
    at::Tensor storage = make_storage(size, budget);
    copy_out(static_cast<char*>(storage.data_ptr()), bytes.substr(0, size), release);
    bytes.remove_prefix(size);
    if (!storages.emplace(key.text, storage).second)
      refuse(budget.where(), "has " + name + " twice");
  }
  return storages;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with(zip_magic); }
bool is_stream(std::string_view bytes) { return bytes.starts_with(stream_magic); }

StateDict parse_zip(std::string_view bytes, const std::string& where, const Release& release,
                    std::vector<Skipped>* skipped) {
  Budget budget(where, bytes.size());
  ZipContent content = unzip({.bytes = bytes, .where = where, .release = release}, budget);
  if (!content.found) refuse(where, "is a zip file without NAME/data.pkl");
  if (content.byte_order == "big")
    refuse(where, "was written on a big-endian machine, which is not supported");
  const std::string folder = content.folder + "data/";
  Storages storages;
  // An archive may hold other folders.
  for (const auto& [name, storage] : content.storages)
    if (name.starts_with(folder)) storages.emplace(name.substr(folder.size()), storage);
  Unpickler pickle(content.pickle, 0, budget);
  const Value root = pickle.load();
  return assemble(pickle, root, storages, budget, skipped);
}

StateDict parse_stream(std::string_view bytes, const std::string& where, const Release& release,
                       std::vector<Skipped>* skipped) {
  Budget budget(where, bytes.size());
  Unpickler object(bytes, read_preamble(bytes, budget), budget);
  const Value root = object.load();
  const Storages storages = read_storages(bytes, object, budget, release);
  return assemble(object, root, storages, budget, skipped);
}

}  // namespace reprise::weights
