"""Exponential, logarithm and power in C without branches, so that they act on many numbers at once.

They are written once, for two kinds of code: loops over muscles, in which a number is a double and the compiler makes
vectors (`muscles.batch`), and code in lanes, in which every number is a vector (`lanes`).
"""

from __future__ import annotations

# What a number is in a loop that the compiler vectorises.
_IN_LOOPS = """
typedef double number;
typedef uint64_t number_bits;   /* a negative number must not be shifted */
#define ALL_OF(x) (x)
#define CHOSEN(condition, one, other) ((condition) ? (one) : (other))

static inline number_bits bits_of(number x)
{
    number_bits bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline number number_of(number_bits bits)
{
    number x;

    memcpy(&x, &bits, sizeof x);
    return x;
}
"""

# What it is in lanes, of types that the code in lanes defines.
_IN_LANES = """
typedef lanes number;
typedef uint64_t number_bits __attribute__((vector_size(8 * LANES)));
#define ALL_OF(x) all(x)
#define CHOSEN(condition, one, other) chosen(MARK(condition), one, other)
#define bits_of(x) ((number_bits)(x))
#define number_of(bits) ((number)(bits))
"""

_FUNCTIONS = """
/* x = n log 2 + r, a polynomial in r of Taylor's coefficients (its rest is below rounding for |r| < 0.35), and n added
 * to the exponent.  Beyond what a double can hold it stays at the end of the range. */
static inline number vector_exp(number x)
{
    const double magic = 6755399441055744.0;    /* 1.5 * 2^52: adding it rounds to a whole number in the low bits */
    number y = CHOSEN(x < -700.0, ALL_OF(-700.0), CHOSEN(x > 700.0, ALL_OF(700.0), x));
    number t = y * 1.4426950408889634 + magic;
    number n = t - magic;
    number r = (y - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    number p = ALL_OF(1.0 / 6227020800.0);

    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    p = number_of(bits_of(p) + (bits_of(t) << 52));
    return CHOSEN(x != x, x, p);
}

/* x = 2^n m with m about 1, and log m by the series of the inverse hyperbolic tangent, whose rest is below rounding. */
static inline number log_of_normal(number x)
{
    const uint64_t one = 0x3ff0000000000000u, half_root = 0x3fe6a09e667f3bcdu;  /* 1, and the root of a half */
    const double whole = 4503599627370496.0;    /* 2^52: its low bits hold a whole number */
    number_bits e = (bits_of(x) + (one - half_root)) >> 52;
    number n = number_of(e | bits_of(ALL_OF(whole))) - (whole + 1023.0);
    number m = number_of(bits_of(x) - (e << 52) + one);
    number s = (m - 1.0) / (m + 1.0), z = s * s, p = ALL_OF(1.0 / 21.0);

    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    return n * 0.693147180369123816490 + (2.0 * s + (2.0 * s * (z * p) + n * 1.90821492927058770002e-10));
}

#define LEAST_NORMAL 2.2250738585072014e-308

static inline number vector_log(number x)
{
    number found = log_of_normal(x);

    found = CHOSEN(x < LEAST_NORMAL, ALL_OF(-INFINITY), found);
    found = CHOSEN(x < 0.0, ALL_OF(NAN), found);
    return CHOSEN(x - x == 0.0, found, CHOSEN(x > 0.0, x, ALL_OF(NAN)));
}

/* exp(y log |x|), with the sign that a whole power of a negative number has. */
static inline number vector_pow(number x, number y)
{
    const double magic = 6755399441055744.0;
    number a = CHOSEN(x < 0.0, -x, x), t = y + magic;
    number found = vector_exp(y * log_of_normal(a));
    number none = CHOSEN(y > 0.0, ALL_OF(0.0), ALL_OF(INFINITY)), odd = number_of(bits_of(t) << 63);

    found = CHOSEN(a < LEAST_NORMAL, none, found);
    found = CHOSEN(a > 1.7976931348623157e308, CHOSEN(y > 0.0, ALL_OF(INFINITY), ALL_OF(0.0)), found);
    found = CHOSEN(x < 0.0, CHOSEN(t - magic == y, number_of(bits_of(found) ^ bits_of(odd)), ALL_OF(NAN)), found);
    found = CHOSEN(y == 0.0, ALL_OF(1.0), found);
    return CHOSEN(x + y != x + y, x + y, found);
}
"""


def functions_in_loops() -> str:
    """Return the functions of doubles, for loops that the compiler vectorises."""
    return f"{_IN_LOOPS}{_FUNCTIONS}"


def functions_in_lanes() -> str:
    """Return the functions of vectors; ``lanes``, ``all``, ``chosen`` and ``MARK`` are defined before."""
    return f"{_IN_LANES}{_FUNCTIONS}"
