// A linear tracker of one angle with two states: the common form of eq 2 and eq 3 of document
// dynamic_face.
//
//     h_t = W_hh h_{t-1} + W_ih x_t,   y_t = W_ho h_t       x: measured angle, y: estimate (eq 2)
//     Kalman, filter form       W_hh = (I - K V) W,  W_ih = K               y_t estimates frame t
//     Kalman, prediction form   W_hh = W - K_p V,    W_ih = K_p = W K      y_t predicts frame t + 1
//                               (eq 3 as written)
//
// K is the steady-state gain. Learned linear RNNs have weights in an arbitrary basis, so trackers
// are compared in a common one: the state is (y_t, the value of y_{t+1} if 0 is measured then).
// There
//     W_hh = [[0, 1], [w_hh_21, w_hh_22]],   W_ih = (w_ih_1, w_ih_2),   W_ho = (1, 0)
// w_ih_1 and w_ih_2 are the first two values of the response to a single 1. This impulse response
// determines the tracker completely.
#pragma once
#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "baselines/trackers/linear_gaussian.h"

namespace reprise::baselines {

struct LinearTracker {
  Eigen::Matrix2d w_hh;
  Eigen::Vector2d w_ih;
  Eigen::RowVector2d w_ho;
};

/// The constant-velocity filter of this noise with its steady-state gain. UsageError: as
/// angle_model().
LinearTracker filter_form(const AngleNoise& noise);
LinearTracker prediction_form(const AngleNoise& noise);

/// Converts a tracker to the common basis. UsageError: the tracker is effectively one-dimensional
/// (its second state is unobservable).
LinearTracker to_common_basis(const LinearTracker& tracker);

/// Fits the two-state tracker with the most similar response, in the common basis (Ho and Kalman
/// 1966:
/// the two largest singular values of the response's Hankel matrix). Exact for a response of two
/// states; none for one of a single state.
/// UsageError: fewer than 6 values; a value that is not finite.
std::optional<LinearTracker> fit_tracker_to_response(std::span<const double> response);

}  // namespace reprise::baselines
