// Pictures, animations and sounds in cells' folders. They are copied unchanged to pictures/ next to
// the page, which stays small.
#pragma once
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/measured.h"

namespace reprise::reports {

struct ShownPicture {
  Picture picture;
  std::string cell;  ///< id of its cell; "" if no finished cell has it
  std::string file;  ///< "pictures/GALLERY-N.png", N from 1; "" without a cell
  std::string bytes;
  bool is_sound() const { return file.ends_with(".wav"); }
};

/// Whether `name` selects the gallery's picture `number`, counted from 1. "GALLERY" selects all of
/// them, "GALLERY-N" one.
bool is_picture_name(const Gallery& gallery, std::size_t number, const std::string& name);

/// Finds the pictures of a gallery, and names their seed in the caption. It is the seed with the
/// median of gallery.median_of (the lower of two). Without such a metric it is the first seed that
/// has the file.
/// Error: a file is neither a PNG, JPEG or WebP picture nor a RIFF WAVE sound (named).
std::vector<ShownPicture> find_pictures(const Gallery& gallery, const Measured& measured);

}  // namespace reprise::reports
