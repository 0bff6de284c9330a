// Which files are pictures or videos by the endings of their names, and what a folder holds.
//
// These are the only lists of endings. What read_image() and VideoReader read when it is named
// alone is also read in a folder. Operating systems and programs leave files of their own beside a
// user's. They are skipped: names that begin with a dot (._a.png of macOS, .DS_Store) and folders
// such as __MACOSX. A folder is never a picture, whatever its name.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reprise::datasets {

/// By the ending: bmp, dib, jfif, jpe, jpeg, jpg, pbm, pgm, png, pnm, ppm, webp, in any case.
bool is_picture(const std::filesystem::path& path);
/// By the ending: avi, m4v, mkv, mov, mp4, mpeg, mpg, webm, wmv, in any case.
bool is_video(const std::filesystem::path& path);
/// A file or folder that a system left there, by its own name.
bool is_system_file(const std::filesystem::path& path);

/// Which files a command reads.
enum class Media { Pictures, Videos, Both };
/// ".bmp, .jpeg, ...": the endings of these files, for messages and help.
std::string endings_of(Media media);

enum class Depth { OneFolder, AllBelow };

/// Files and folders in a folder without those that a system left there, in the order of their
/// names. Numbers in names count by their value: frame2 comes before frame10. With AllBelow only
/// files are listed. UsageError: the folder cannot be read; `fix` is what to do then.
std::vector<std::filesystem::path> list_entries(const std::filesystem::path& folder,
                                                Depth depth = Depth::OneFolder,
                                                const std::string& fix = "check the path");

struct FolderMedia {
  std::vector<std::filesystem::path>
      files;  ///< the media that were asked for, in the order of list_entries()
  std::vector<std::filesystem::path>
      skipped;  ///< all else: other files, a system's own, folders that are not entered
};
/// UsageError: the folder cannot be read.
FolderMedia list_media(const std::filesystem::path& folder, Media media, Depth depth);

/// One sentence: how many entries were skipped, and of which endings. "" where none was.
std::string describe_skipped(const std::filesystem::path& folder, const FolderMedia& found,
                             Media media);

}  // namespace reprise::datasets
