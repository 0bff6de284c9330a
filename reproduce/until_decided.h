// Seeds until claims are decided: `run STUDY --until-decided`.
//
// First the profile's own seeds run, and are the first look. Then, as long as some claim is undecided and more seeds could decide it, the
// next look adds seeds to the cells of such claims alone: to the two methods of each comparison, and to what these need. Numbers of seeds of
// the looks are fixed before, and each is judged at the part of the claim's level that it spends (records/sequential.h), so that the chance
// of a false alarm over all looks stays below the level. Looks are kept in RESULTS/asked.json before their cells run: a run that was ended
// goes on with them.
//
// A claim that had been judged at its full level before, on seeds that it had been asked before, keeps them as its first look; that verdict
// was one more chance of a false alarm. One that is post hoc begins with none of its seeds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "records/claims.h"
#include "reproduce/run/request.h"

namespace reprise::reproduce {

struct UntilRequest {
  RunRequest run;
  std::optional<double> hours = {};  ///< wall time after which no cell starts; none: as long as it takes
  std::optional<int> most = {};      ///< seeds that a claim may get; none: four times the profile's, or as the folder's looks were planned
};

/// What is expected of one claim that compares methods.
struct ClaimOutlook {
  std::string claim;
  int seeds = 0;                     ///< that it is judged on now
  std::optional<int> expected = {};  ///< seeds of the look that decides it with probability 0.8, were its effects the true ones
  double hours = 0;                  ///< of one core, for the compared cells of these
  std::string closed = {};           ///< why it gets no more seeds; "" where it gets some
};

struct UntilResult {
  std::filesystem::path results;
  std::vector<ClaimOutlook> outlook;  ///< when it began, after the profile's own seeds
  std::vector<ClaimOutlook> last;     ///< when it ended
  struct Round {
    std::vector<std::int64_t> seeds;
    std::vector<std::string> claims;
    std::size_t cells = 0;      ///< that it runs, with those that they need
    double expected_hours = 0;  ///< with the workers there are
  };
  std::vector<Round> rounds;  ///< those that ran; with dry_run the next one
  std::string stopped;        ///< why it ended: one sentence
  std::vector<records::Judgement> claims;
  std::size_t failed = 0;  ///< cells
  bool interrupted = false;
  double seconds = 0;
};

/// UsageError: as run(); --seeds, --redo or methods from outside, which choose what runs themselves; a `most` below the profile's seeds, or
/// other than that of looks that the folder has.
UntilResult run_until_decided(const Study& study, const UntilRequest& request);

}  // namespace reprise::reproduce
