// Pictures and videos by the endings of their names, and listings of folders.
//
// No other file has lists of endings. Whatever read_image() and VideoReader read as a single file
// is also read in a folder. Files of operating systems and programs are skipped: names that begin
// with a dot (._a.png of macOS, .DS_Store), and folders such as __MACOSX. A folder is never a
// picture, whatever its name.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reprise::datasets {

/// Whether the ending, in any case, is bmp, dib, jfif, jpe, jpeg, jpg, pbm, pgm, png, pnm, ppm or
/// webp.
bool is_picture(const std::filesystem::path& path);
/// Whether the ending, in any case, is avi, m4v, mkv, mov, mp4, mpeg, mpg, webm or wmv.
bool is_video(const std::filesystem::path& path);
/// Whether the name is that of a file or folder of an operating system.
bool is_system_file(const std::filesystem::path& path);

/// Kinds of files that a command reads.
enum class Media { Pictures, Videos, Both };
/// Lists the endings of these files, for messages and help: ".bmp, .jpeg, ...".
std::string list_endings(Media media);

enum class Depth { OneFolder, AllBelow };

/// Lists the entries of a folder by name, without system files. Numbers in names are ordered by
/// value: frame2 precedes frame10. With AllBelow only files are listed. UsageError: the folder
/// cannot be read; `fix` is the advice.
std::vector<std::filesystem::path> list_entries(const std::filesystem::path& folder,
                                                Depth depth = Depth::OneFolder,
                                                const std::string& fix = "check the path");

struct FolderMedia {
  std::vector<std::filesystem::path> files;  ///< requested media, in the order of list_entries()
  /// Other files, system files, and folders that are not entered.
  std::vector<std::filesystem::path> skipped;
};
/// Lists media and skipped entries of a folder. UsageError: the folder cannot be read.
FolderMedia list_media(const std::filesystem::path& folder, Media media, Depth depth);

/// Describes in one sentence how many entries were skipped, and of which endings. "": none.
std::string describe_skipped(const std::filesystem::path& folder, const FolderMedia& found,
                             Media media);

}  // namespace reprise::datasets
