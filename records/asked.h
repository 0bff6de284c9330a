// What was asked of a results folder, and when: RESULTS/asked.json. It tells a claim that stood before its cells ran from one that was made,
// or changed, when what they gave could be seen.
//
// Every run writes, before its first cell starts, each claim of its study whose question is new. A question is
//     the claim's definition   what decides its verdict; prose, ids and spelling have no part in it (Claim::definition)
//     the settings             of the cells that it compares, and the confirmation seeds
//     the program              that makes these cells
// and keeps the commit and the seeds that had been seen: those at which both cells of one of its comparisons had finished in this folder, in
// whatever form. A folder knows itself alone: what was seen of another one, with other settings, it cannot say.
//
// A seed is fresh for a claim when its two cells were made by a program with which the claim, as it is now, was asked before that seed had
// been seen. From this follows on which seeds a claim is judged:
//     all its seeds are fresh                               on all of them: asked before
//     every comparison has two fresh ones                   on the fresh ones alone: asked before; the others are set aside
//     fewer                                                 on all of them: post hoc, until fresh ones confirm it
//     a folder without the file                             on all of them: unknown
// Confirmation seeds (`[confirm] seeds`) leave out every other seed first; a claim with looks is judged on the seeds of its looks.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "records/claim_pairs.h"
#include "records/claims_file.h"
#include "records/sequential.h"

namespace reprise::records {

struct Question {
  std::string claim{};  ///< its id then, for people
  std::string definition{}, settings{}, program{};
  std::string commit{};  ///< "" where not in a git checkout
  bool dirty = false;    ///< the tree had changes beside it
  std::set<std::int64_t> seen{};
};

struct Registration {
  std::vector<std::int64_t> confirm{};                             ///< confirmation seeds; none: every seed is for verdicts
  std::vector<Question> questions{};                               ///< in the order in which they were asked
  std::map<ClaimRecords::Key, std::set<std::int64_t>> finished{};  ///< seeds of cells that ever finished here
  std::vector<LookPlan> looks{};

  /// The last question of this definition; with `program` of that alone. nullptr: none.
  const Question* asked(const std::string& definition) const;
  const Question* asked(const std::string& definition, const std::string& program) const;
  LookPlan* looks_at(const std::string& definition);
  const LookPlan* looks_at(const std::string& definition) const;

  /// Adds what has finished by now to `finished`.
  void note_finished(const std::vector<Record>& records);
  /// Adds the question, with the seeds that have been seen of it, unless its definition was asked last with this program and these settings.
  void ask(const Claim& claim, Question question, const std::set<std::string>& own);
};

/// Nothing where the folder has no such file. Error: it cannot be read (file and field named).
std::optional<Registration> read_registration(const std::filesystem::path& results);
void write_registration(const std::filesystem::path& results, const Registration& registration);

/// The methods that a claim compares, each with the other: of these, the own ones. Both sides of "parameters" stand with themselves.
std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> compared(const Claim& claim, const std::set<ClaimRecords::Key>& methods,
                                                                      const std::set<std::string>& own);

/// The seeds that a claim is judged on, and at which level.
struct UsedSeeds {
  Asked asked = Asked::Unknown;
  std::string commit{};                   ///< as in Judgement
  std::set<std::int64_t> fresh{};         ///< finished, for verdicts and never looked at
  std::set<std::int64_t> left_out{};      ///< seeds of its cells that have no part in the verdict
  std::vector<std::int64_t> set_aside{};  ///< of these the ones that are finished
  double level = 0.05;
  std::optional<LooksTaken> looks{};
};
UsedSeeds used_seeds(const Claim& claim, const std::optional<Registration>& registration, const ClaimRecords& records);

/// What to add to a verdict's reason; "" when it has all seeds, the whole level, and was asked before or at an unknown time.
std::string text_of(const UsedSeeds& used);

}  // namespace reprise::records
