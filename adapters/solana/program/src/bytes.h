/* Reading, writing and comparing bytes; numbers are little-endian and may lie anywhere. */
#ifndef DEPOSITORY_BYTES_H
#define DEPOSITORY_BYTES_H

#include "runtime.h"

#define COPY(to, from, len) __builtin_memcpy(to, from, len)

static inline u64 read_u64(const u8 *at) { u64 value; COPY(&value, at, 8); return value; }
static inline u32 read_u32(const u8 *at) { u32 value; COPY(&value, at, 4); return value; }
static inline u16 read_u16(const u8 *at) { return (u16)(at[0] | at[1] << 8); }
static inline void write_u64(u8 *at, u64 value) { COPY(at, &value, 8); }
static inline void write_u32(u8 *at, u32 value) { COPY(at, &value, 4); }

OWN_FRAME u64 same_bytes(const u8 *a, const u8 *b, u64 len) {
  for (u64 i = 0; i < len; i += 1) if (a[i] != b[i]) return 0;
  return 1;
}

static inline u64 same_key(const Pubkey *a, const Pubkey *b) { return same_bytes(a->bytes, b->bytes, 32); }

/** Copies as much as is said: the compiler may not turn the loop into a call that nobody answers. */
static inline void copy_bytes(u8 *to, const u8 *from, u64 len) {
  for (u64 i = 0; i < len; i += 1) ((volatile u8 *)to)[i] = from[i];
}

#endif
