// Functions that give the same bits on every compiler and machine, and with every libm: they use only +, -,
// *, / and integers, and are compiled with -ffp-contract=off.
#pragma once

namespace harness {

/// Returns the natural logarithm of x for normal x > 0; the error is at most 2 ulp. For other x the result is
/// unspecified.
double portable_log(double x);
/// Returns e^x with a relative error below 1e-14; x is clamped to [-700, 700].
double portable_exp(double x);

}  // namespace harness
