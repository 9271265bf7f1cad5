/* a × b ÷ c with 128 bits between, which the machine does not have: by halves, then bit by bit. */
#ifndef POOLS_ARITHMETIC_H
#define POOLS_ARITHMETIC_H

#include "../../../../../../adapters/solana/program/src/runtime.h"

enum ArithmeticError { OVERFLOW = 6110 };

#define LOW 0xffffffffULL

/** Rounded down, or up; fails when it is more than 64 bits. */
OWN_FRAME u64 mul_div(u64 a, u64 b, u64 c, u64 up, u64 *result) {
  const u64 low = (a & LOW) * (b & LOW), one = (a >> 32) * (b & LOW), two = (a & LOW) * (b >> 32);
  const u64 middle = (low >> 32) + (one & LOW) + (two & LOW);
  u64 high = (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32) + (middle >> 32);
  const u64 bottom = middle << 32 | (low & LOW);
  REQUIRE(c != 0 && high < c, OVERFLOW);
  u64 quotient = 0;
  for (u64 bit = 64; bit > 0; bit -= 1) {
    const u64 carry = high >> 63;
    high = high << 1 | (bottom >> (bit - 1) & 1);
    quotient <<= 1;
    if (carry || high >= c) {
      high -= c;
      quotient |= 1;
    }
  }
  REQUIRE(!up || high == 0 || quotient != ~0ULL, OVERFLOW);
  *result = quotient + (up && high != 0);
  return OK;
}

#endif
