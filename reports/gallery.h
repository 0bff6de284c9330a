// Pictures, animations and sounds that cells left, found and copied as they are to pictures/ beside
// the page, which stays small enough to open at once.
#pragma once
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/measured.h"

namespace reprise::reports {

struct ShownPicture {
  Picture picture;
  std::string cell;  ///< id of the cell it is from; "" when no finished cell has it
  std::string file;  ///< "pictures/GALLERY-N.png", N from 1; "" likewise
  std::string bytes;
  bool is_sound() const { return file.ends_with(".wav"); }
};

/// Whether the gallery's picture `number`, from 1, is meant by `name`: "GALLERY" is all of them,
/// "GALLERY-N" one, as its file is called.
bool is_named(const Gallery& gallery, std::size_t number, const std::string& name);

/// Each picture is of the method's seed with the median of gallery.median_of, the lower one of two;
/// of the first seed that left one where that seed left none. The caption then names the seed.
/// Error: a file that by its first bytes is neither a PNG, JPEG or WebP picture nor a RIFF WAVE
/// sound (named).
std::vector<ShownPicture> find_pictures(const Gallery& gallery, const Measured& measured);

}  // namespace reprise::reports
