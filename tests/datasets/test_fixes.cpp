// Every fix that a reader prints is followed once: what is wrong, what the fix says, the file that
// comes of it, which is accepted.
#include <ATen/ATen.h>

#include <functional>

#include "datasets/formats/npy.h"
#include "datasets/formats/wav.h"
#include "datasets/pose_tracks.h"
#include "datasets/predicted_pictures.h"
#include "datasets/predictions.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;
using Read = std::function<void(const fs::path&)>;

struct Fix {
  std::string name;       ///< of the file
  std::string wrong;      ///< its bytes
  std::string statement;  ///< a part of the fix
  std::string right;      ///< the bytes after the fix
  Read read;
};

/// A .npy file of this type and shape.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& fortran = "False") {
  const auto quoted = descr.starts_with('[') ? descr : "'" + descr + "'";
  const std::string header =
      "{'descr': " + quoted + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

Read predictions(PredictionKind kind) {
  return [kind](const fs::path& path) { read_predictions(path, kind); };
}

std::string wav(int channels, int bits, int kind = 1) {
  const auto word = [](int value) {
    return std::string{static_cast<char>(value & 0xFF), static_cast<char>(value >> 8)};
  };
  const auto four = [&](int value) { return word(value & 0xFFFF) + word(value >> 16); };
  const int frame = channels * bits / 8;
  return "RIFF" + four(0) + "WAVEfmt " + four(16) + word(kind) + word(channels) + four(8000) +
         four(8000 * frame) + word(frame) + word(bits) + "data" + four(2 * frame) +
         std::string(static_cast<std::size_t>(2 * frame), '\0');
}

std::vector<Fix> fixes() {
  const auto labels = predictions(PredictionKind::Labels),
             landmarks = predictions(PredictionKind::Landmarks),
             pose = predictions(PredictionKind::Pose);
  const Read tracks = [](const fs::path&path) { read_pose_tracks(path); },
             sound = [](const fs::path&path) { read_wav(path); },
             pictures = [](const fs::path&path) { read_predicted_pictures(path); };
  const std::string two(16, '\0');
  const auto two_labels = encode_npy(at::zeros({2}, at::kLong)),
             face = encode_npy(at::zeros({1, 68, 2}));
  const std::string label_csv = "item,label\na,1\n",
                    pose_csv = "sequence,frame,pitch,yaw,roll\na,1,1,2,3\n";
  return {
      {"complex.npy", npy("<c8", "(2,)", two), "array.real.astype(\"int64\")", two_labels, labels},
      {"texts.npy", npy("<U2", "(2,)", two), "array.astype(\"int64\")", two_labels, labels},
      {"objects.npy", npy("|O", "(2,)", two), "numpy.array(array.tolist(), dtype=\"int64\")",
       two_labels, labels},
      {"records.npy", npy("[('a', '<i8')]", "(2,)", two), "array[\"FIELD\"].astype(\"int64\")",
       two_labels, labels},
      {"long_double.npy", npy("<f16", "(1,)", two), "array.astype(\"int64\")", two_labels, labels},
      {"huge.npy", npy("<u8", "(1,)", std::string(8, '\xFF')), "array.astype(\"float64\")",
       encode_npy(at::full({1}, 5.0, at::kDouble)), labels},
      {"version.npy", std::string("\x93NUMPY\x07\x00\x01\x00 ", 11), "numpy.save", two_labels,
       labels},
      {"several.npz", "PK\x03\x04...", "numpy.save(\"FILE.npy\", array)", two_labels, labels},
      {"matrix.npy", encode_npy(at::zeros({2, 4}, at::kLong)), "integers of shape [N]", two_labels,
       labels},
      {"half.npy", encode_npy(at::full({2}, 0.5)), "the number of its class", two_labels, labels},
      {"points.npy", encode_npy(at::zeros({1, 5, 2})), "[N, 68, 2]", face, landmarks},
      {"pixels.npy", encode_npy(at::zeros({1, 4, 4, 3})), "uint8 [N, H, W]",
       encode_npy(at::zeros({1, 4, 4, 3}, at::kByte)), pictures},
      {"title.csv", "item, label\na,1\n", "the header must be item,label", label_csv, labels},
      {"text.csv", "item,label\na,cat\n", "0, 1, 2", label_csv, labels},
      {"twice.csv", "item,label\na,1\na,2\n", "one row per item", label_csv, labels},
      {"gap.csv", pose_csv + "a,2,NA,2,3\n", "leave its item out", pose_csv, pose},
      {"comma.csv", "sequence;frame;pitch;yaw;roll\na;1;1,5;2;3\n", "12.5",
       "sequence;frame;pitch;yaw;roll\na;1;1.5;2;3\n", pose},
      {"lost.csv", "sequence,frame,pitch,yaw,roll\na,1,lost,2,3\n", "leave the cell empty",
       "sequence,frame,pitch,yaw,roll\na,1,,2,3\n", tracks},
      {"frames.csv", "sequence,frame,pitch,yaw,roll\na,one,1,2,3\n", "number the frames", pose_csv,
       tracks},
      {"wide.csv", "item,label\na,b,1\n", "a comma inside a field needs quotes",
       "item,label\n\"a,b\",1\n", labels},
      {"unmarked.csv", std::string("i\0t\0", 4), "CSV in UTF-8", label_csv, labels},
      {"six.wav", wav(6, 16), "-c 1", wav(1, 16), sound},
      {"six_of_24.wav", wav(6, 24), "-b 16 -e signed-integer -c 1", wav(1, 16), sound},
      {"mu_law.wav", wav(1, 8, 7), "-b 16 -e signed-integer -c 1", wav(1, 16), sound},
  };
}

TEST(Fixes, OfEveryReaderLeadToAFileThatIsAcceptedSlow) {
  const TemporaryFolder folder;
  for (const auto& fix : fixes()) {
    SCOPED_TRACE(fix.name);
    const auto path = folder.path() / fix.name;
    write_file(path, fix.wrong);
    try {
      fix.read(path);
      ADD_FAILURE() << "is accepted as it is";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.problem(), testing::HasSubstr(path.string()));
      EXPECT_THAT(error.fix(), testing::HasSubstr(fix.statement));
    }
    write_file(path, fix.right);
    // An array that was taken out of an archive is no archive: it gets the name that the fix gives
    // it.
    const auto fixed = path.extension() == ".npz" ? fs::path(path).replace_extension(".npy") : path;
    if (fixed != path) fs::rename(path, fixed);
    EXPECT_NO_THROW(fix.read(fixed));
  }
}

}  // namespace
}  // namespace reprise::datasets
