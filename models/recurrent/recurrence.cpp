// Forward and hand-written backward passes of the recurrent cells. Time-major: [T, B, ...].
#include <fmt/format.h>
#include <torch/autograd.h>

#include <optional>

#include "core/error.h"
#include "models/layers/product.h"
#include "models/recurrent/recurrent_layer.h"

namespace reprise::models {
namespace {

using torch::Tensor;

/// Values kept for the backward pass: states, gate activations, and a tensor that depends on the
/// cell.
struct Trace {
  Tensor h;      ///< [T + 1, B, n], the first state first
  Tensor gates;  ///< [T, B, G n]: activations, gates stacked
  Tensor extra;  ///< LSTM: c, [T + 1, B, n]; GRU: r m h_{t-1}, [T, B, n]; else undefined
  Tensor mask;   ///< m, [B, n]: W_h acts on m h_{t-1}; undefined: on h_{t-1}
  /// Applies m to h_{t-1} or to a gradient.
  Tensor masked(const Tensor& h_before) const {
    return mask.defined() ? h_before * mask : h_before;
  }
};

/// Returns one gate of stacked gates.
Tensor gate(const Tensor& stacked, std::int64_t index, std::int64_t n) {
  return stacked.narrow(-1, index * n, n);
}

/// Lays out rows of W_h for many products with few rows h. With contiguous columns oneDNN is up to
/// four times as fast (h of 32 x 512, four gates). The copy pays after two steps, except where the
/// product is bound by memory.
Tensor lay_out_for_steps(const Tensor& rows, const Tensor& u) {
  // Below 8 rows the product is bound by memory.
  const bool pays = u.device().is_cpu() && u.size(0) > 2 && u.size(1) >= 8;
  return pays ? rows.t().contiguous().t() : rows;
}

/// Returns u_t + h W_h^T for the gates from `first` on, whose rows of W_h are given: [B, count n].
/// Every gate adds a shared u.
Tensor pre_activation(const Tensor& u, const Tensor& h, const Tensor& rows, std::int64_t first,
                      std::int64_t n, bool shared) {
  auto pre = multiply_transposed(h, rows);
  const auto count = rows.size(0) / n;
  if (shared)
    pre.view({pre.size(0), count, n}).add_(u.unsqueeze(1));
  else
    pre.add_(u.narrow(-1, first * n, count * n));
  return pre;
}

/// Applies H of a cell without gates: ReLU, tanh or the identity.
void apply_activation(RecurrentCell cell, Tensor& h) {
  switch (cell) {
    case RecurrentCell::Vrnn:
      h.relu_();
      return;
    case RecurrentCell::Elman:
      h.tanh_();
      return;
    case RecurrentCell::Linear:
    case RecurrentCell::Lstm:
    case RecurrentCell::Gru:
      return;
  }
}

/// Multiplies the gradient d at h = H(a) by H'(a), which h determines.
void apply_derivative(RecurrentCell cell, const Tensor& h, Tensor& d) {
  switch (cell) {
    case RecurrentCell::Vrnn:
      d.mul_(h.gt(0));
      return;
    case RecurrentCell::Elman:
      d.mul_(1 - h.square());
      return;
    case RecurrentCell::Linear:
    case RecurrentCell::Lstm:
    case RecurrentCell::Gru:
      return;
  }
}

/// Runs VRNN, Elman and Linear: h_t = H(u_t + W_hh h_{t-1}).
Trace run_plain(RecurrentCell cell, const Tensor& u, const Tensor& w_h, Trace trace) {
  const auto w = lay_out_for_steps(w_h, u);
  for (std::int64_t t = 0; t < u.size(0); ++t) {
    auto h = trace.h[t + 1];
    at::add_out(h, u[t], multiply_transposed(trace.masked(trace.h[t]), w));
    apply_activation(cell, h);
  }
  return trace;
}

Trace run_lstm(const Tensor& u, const Tensor& w_h, bool shared, Trace trace) {
  const auto n = w_h.size(1);
  const auto w = lay_out_for_steps(w_h, u);
  auto& c = trace.extra;
  for (std::int64_t t = 0; t < u.size(0); ++t) {
    // One product for all four gates; the sigmoid gates i, f, o are adjacent.
    const auto pre = pre_activation(u[t], trace.masked(trace.h[t]), w, 0, n, shared);
    const auto gates = trace.gates[t];
    auto sigmoids = gates.narrow(-1, 0, 3 * n);
    auto candidate = gate(gates, 3, n);
    at::sigmoid_out(sigmoids, pre.narrow(-1, 0, 3 * n));
    at::tanh_out(candidate, gate(pre, 3, n));
    // c_t = f c_{t-1} + i c~;  h_t = o tanh(c_t)
    auto c_t = c[t + 1];
    at::mul_out(c_t, gate(gates, 1, n), c[t]);
    c_t.addcmul_(gate(gates, 0, n), candidate);
    auto h = trace.h[t + 1];
    at::tanh_out(h, c_t);
    h.mul_(gate(gates, 2, n));
  }
  return trace;
}

Trace run_gru(const Tensor& u, const Tensor& w, bool shared, Trace trace) {
  const auto n = w.size(1);
  // Two products per step: the reset gate must be known before the candidate's.
  const auto w_rz = lay_out_for_steps(w.narrow(0, 0, 2 * n), u);
  const auto w_h = lay_out_for_steps(w.narrow(0, 2 * n, n), u);
  for (std::int64_t t = 0; t < u.size(0); ++t) {
    const auto h = trace.h[t];
    const auto gates = trace.gates[t];
    auto sigmoids = gates.narrow(-1, 0, 2 * n);
    auto candidate = gate(gates, 2, n);
    const auto seen = trace.masked(h);
    at::sigmoid_out(sigmoids, pre_activation(u[t], seen, w_rz, 0, n, shared));
    // The reset gate acts before the matrix: h~ = tanh(u + W_hh (r h)).
    auto reset = trace.extra[t];
    at::mul_out(reset, gate(gates, 0, n), seen);
    at::tanh_out(candidate, pre_activation(u[t], reset, w_h, 2, n, shared));
    auto next = trace.h[t + 1];
    // h_t = (1 - z) h_{t-1} + z h~
    at::lerp_out(next, h, candidate, gate(gates, 1, n));
  }
  return trace;
}

/// Checks the shapes that recurrence() states.
void check_shapes(RecurrentCell cell, const Tensor& u, const Tensor& w, const Tensor& mask) {
  const auto n = w.size(1);
  const std::int64_t gates = gate_names(cell).size();
  if (u.dim() != 3 || w.dim() != 2 || w.size(0) != gates * n ||
      (u.size(2) != n && u.size(2) != gates * n))
    throw Error(
        fmt::format("recurrence: u is {} and W_h is {}", c10::str(u.sizes()), c10::str(w.sizes())),
        fmt::format("give u as [T, B, {0} n] or [T, B, n] and W_h as [{0} n, n]", gates));
  if (mask.defined() && mask.sizes() != at::IntArrayRef({u.size(1), n}))
    throw Error(fmt::format("recurrence: the mask is {}", c10::str(mask.sizes())),
                fmt::format("give it as [{}, {}]", u.size(1), n));
}

/// Checks shapes, allocates the trace and runs the cell from `start` (undefined: zero).
Trace run(RecurrentCell cell, const Tensor& u, const Tensor& w, const Tensor& mask,
          const CellState& start = {}) {
  check_shapes(cell, u, w, mask);
  const auto n = w.size(1);
  const auto steps = u.size(0);
  const auto batch = u.size(1);
  const std::int64_t gates = gate_names(cell).size();
  // The width of u tells SIH from PerGate. With one gate both are the same.
  const bool shared = gates > 1 && u.size(2) == n;
  Trace trace;
  trace.mask = mask;
  trace.h = at::empty({steps + 1, batch, n}, u.options());
  const auto begin = [](Tensor first, const Tensor& given) {
    given.defined() ? first.copy_(given) : first.zero_();
  };
  begin(trace.h[0], start.h);
  switch (cell) {
    case RecurrentCell::Lstm:
      trace.gates = at::empty({steps, batch, gates * n}, u.options());
      trace.extra = at::empty_like(trace.h);
      begin(trace.extra[0], start.c);
      return run_lstm(u, w, shared, std::move(trace));
    case RecurrentCell::Gru:
      trace.gates = at::empty({steps, batch, gates * n}, u.options());
      trace.extra = at::empty({steps, batch, n}, u.options());
      return run_gru(u, w, shared, std::move(trace));
    case RecurrentCell::Vrnn:
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
      break;
  }
  return run_plain(cell, u, w, std::move(trace));
}

/// Computes the gradient at every gate's pre-activation, [T, B, G n], from `grad` at h[1..T].
/// `carried` is the gradient that one step passes to the step before it.
Tensor back_plain(RecurrentCell cell, const Trace& trace, const Tensor& w, const Tensor& grad) {
  auto d_pre = at::empty_like(grad);
  auto carried = at::zeros_like(grad[0]);
  for (auto t = grad.size(0) - 1; t >= 0; --t) {
    auto d = d_pre[t];
    at::add_out(d, grad[t], carried);
    apply_derivative(cell, trace.h[t + 1], d);
    // W_h* saw m h_{t-1}, so the mask also applies to the gradient. The first state is constant.
    if (t > 0) carried = trace.masked(multiply_transposed(d, w.t()));
  }
  return d_pre;
}

/// As back_plain(), for the LSTM.
Tensor back_lstm(const Trace& trace, const Tensor& w, const Tensor& grad) {
  const auto n = w.size(1);
  const auto steps = grad.size(0);
  const auto batch = grad.size(1);
  const auto i = gate(trace.gates, 0, n);
  const auto f = gate(trace.gates, 1, n);
  const auto o = gate(trace.gates, 2, n);
  const auto candidate = gate(trace.gates, 3, n);
  const auto tanh_c = trace.extra.narrow(0, 1, steps).tanh();
  // For all steps at once: the derivative of c_t (for o: h_t) by each gate's pre-activation. The
  // loop multiplies it by the gradient of c_t or h_t.
  auto d_pre = at::empty_like(trace.gates);
  auto d_i = gate(d_pre, 0, n);
  auto d_f = gate(d_pre, 1, n);
  auto d_o = gate(d_pre, 2, n);
  auto d_candidate = gate(d_pre, 3, n);
  at::sigmoid_backward_out(d_i, candidate, i);
  at::sigmoid_backward_out(d_f, trace.extra.narrow(0, 0, steps), f);
  at::sigmoid_backward_out(d_o, tanh_c, o);
  at::tanh_backward_out(d_candidate, i, candidate);
  const auto c_to_h = at::tanh_backward(o, tanh_c);
  auto carried = at::zeros_like(grad[0]);
  auto d_c = at::zeros_like(grad[0]);
  for (auto t = steps - 1; t >= 0; --t) {
    const auto d_h = grad[t] + carried;
    d_c.addcmul_(d_h, c_to_h[t]);
    // One factor for i and f, which are adjacent.
    d_pre[t].narrow(-1, 0, 2 * n).view({batch, 2, n}).mul_(d_c.unsqueeze(1));
    d_o[t].mul_(d_h);
    d_candidate[t].mul_(d_c);
    // c_t = f c_{t-1} + ..., so f carries the gradient to the step before.
    d_c.mul_(f[t]);
    if (t > 0) carried = trace.masked(multiply_transposed(d_pre[t], w.t()));
  }
  return d_pre;
}

/// As back_plain(), for the GRU.
Tensor back_gru(const Trace& trace, const Tensor& w, const Tensor& grad) {
  const auto n = w.size(1);
  auto d_pre = at::empty_like(trace.gates);
  const auto w_rz = w.narrow(0, 0, 2 * n);
  const auto w_h = w.narrow(0, 2 * n, n);
  auto carried = at::zeros_like(grad[0]);
  auto d_candidate = at::empty_like(carried);
  auto d_reset_update = at::empty({grad.size(1), 2 * n}, grad.options());
  for (auto t = grad.size(0) - 1; t >= 0; --t) {
    const auto gates = trace.gates[t];
    const auto r = gate(gates, 0, n);
    const auto z = gate(gates, 1, n);
    const auto candidate = gate(gates, 2, n);
    const auto h = trace.h[t];
    auto d = d_pre[t];
    const auto d_h = grad[t] + carried;
    // Candidate: h_t contains z h~.
    at::tanh_backward_out(d_candidate, d_h * z, candidate);
    gate(d, 2, n).copy_(d_candidate);
    // Reset gate: the candidate's matrix saw r m h_{t-1}, whose gradient is d_rh.
    const auto d_rh = multiply_transposed(d_candidate, w_h.t());
    gate(d_reset_update, 0, n).copy_(at::sigmoid_backward(d_rh * trace.masked(h), r));
    // Update gate: the derivative of h_t by z is h~ - h_{t-1}.
    gate(d_reset_update, 1, n).copy_(at::sigmoid_backward(d_h * (candidate - h), z));
    d.narrow(-1, 0, 2 * n).copy_(d_reset_update);
    if (t == 0) break;
    // h_{t-1} acts through the matrices of both gates, through r h_{t-1}, and directly by 1 - z.
    carried = trace.masked(multiply_transposed(d_reset_update, w_rz.t()).addcmul_(d_rh, r));
    carried.add_(d_h - d_h * z);
  }
  return d_pre;
}

/// Runs the backward pass of a cell; arguments as in back_plain().
Tensor back_propagate(RecurrentCell cell, const Trace& trace, const Tensor& w, const Tensor& grad) {
  switch (cell) {
    case RecurrentCell::Lstm:
      return back_lstm(trace, w, grad);
    case RecurrentCell::Gru:
      return back_gru(trace, w, grad);
    case RecurrentCell::Vrnn:
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
      break;
  }
  return back_plain(cell, trace, w, grad);
}

/// Computes dL/dW_h in one product over all steps: d_pre^T [G n, T B] times the inputs of each
/// gate's matrix, [T B, n].
Tensor weight_gradient(RecurrentCell cell, const Trace& trace, const Tensor& d_pre, std::int64_t n,
                       at::ScalarType precision) {
  const auto before = trace.masked(trace.h.narrow(0, 0, d_pre.size(0))).reshape({-1, n});
  const auto flat = d_pre.reshape({-1, d_pre.size(2)}).to(precision);
  switch (cell) {
    case RecurrentCell::Gru:
      // The candidate's matrix was applied to r m h_{t-1}, the gates' matrices to m h_{t-1}.
      return at::cat(
          {multiply_transposed(flat.narrow(1, 0, 2 * n).t(), before.t()),
           multiply_transposed(flat.narrow(1, 2 * n, n).t(), trace.extra.reshape({-1, n}).t())});
    case RecurrentCell::Vrnn:
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
    case RecurrentCell::Lstm:
      break;
  }
  return multiply_transposed(flat.t(), before.t());
}

/// The recurrence as one differentiable operation.
class Recurrence : public torch::autograd::Function<Recurrence> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& u, const Tensor& w,
                        std::int64_t cell, const std::optional<Tensor>& given) {
    const auto mask = given.value_or(Tensor());
    const auto rounded = cast_to_pass_precision(w);
    const auto trace = run(static_cast<RecurrentCell>(cell), u, rounded, mask);
    context->save_for_backward({rounded, trace.h, trace.gates, trace.extra, mask});
    context->saved_data["cell"] = cell;
    context->saved_data["width"] = u.size(2);
    return trace.h.narrow(0, 1, u.size(0));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto saved = context->get_saved_variables();
    const auto cell = static_cast<RecurrentCell>(context->saved_data["cell"].toInt());
    const auto& w = saved[0];
    const auto n = w.size(1);
    const Trace trace{.h = saved[1], .gates = saved[2], .extra = saved[3], .mask = saved[4]};
    const auto d_pre = back_propagate(cell, trace, w, grads[0].contiguous());
    Tensor d_u = d_pre;
    // SIH: all gates read the same u, so its gradient is their sum (eq 10).
    if (context->saved_data["width"].toInt() == n && d_pre.size(2) != n)
      d_u = d_pre.view({d_pre.size(0), d_pre.size(1), -1, n}).sum(2);
    return {d_u, weight_gradient(cell, trace, d_pre, n, w.scalar_type()), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor recurrence(RecurrentCell cell, const Tensor& u, const Tensor& w_h, const Tensor& mask) {
  // Only with a gradient is the trace saved. Function::apply() accepts an undefined tensor only as
  // an optional.
  if (torch::GradMode::is_enabled() && (u.requires_grad() || w_h.requires_grad()))
    return Recurrence::apply(u.contiguous(), w_h, static_cast<std::int64_t>(cell),
                             mask.defined() ? std::optional(mask) : std::nullopt);
  return run(cell, u.contiguous(), w_h, mask).h.narrow(0, 1, u.size(0));
}

Tensor recurrence_from(CellState& state, RecurrentCell cell, const Tensor& u, const Tensor& w_h) {
  const torch::NoGradGuard no_gradient;
  const auto trace = run(cell, u.contiguous(), w_h, {}, state);
  state.h = trace.h[u.size(0)];
  switch (cell) {
    case RecurrentCell::Lstm:
      state.c = trace.extra[u.size(0)];
      break;
    case RecurrentCell::Vrnn:
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
    case RecurrentCell::Gru:
      break;  // h is the whole state
  }
  return trace.h.narrow(0, 1, u.size(0));
}

Tensor gate_activations(RecurrentCell cell, const Tensor& u, const Tensor& w_h) {
  const torch::NoGradGuard no_gradient;
  if (sigmoid_gates(cell) == 0) return {};
  return run(cell, u.contiguous(), w_h, {}).gates.narrow(-1, 0, sigmoid_gates(cell) * w_h.size(1));
}

}  // namespace reprise::models
