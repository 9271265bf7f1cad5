/*
 * What the runtime gives a program: its types, its syscalls, and what it returns.
 * The layouts are those of the C interface of Solana's runtime (SBPF version 0).
 */
#ifndef DEPOSITORY_RUNTIME_H
#define DEPOSITORY_RUNTIME_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

typedef struct { u8 bytes[32]; } Pubkey;

/** An account as a program sees it. Only the runtime's own input makes these. */
typedef struct {
  Pubkey *key;
  u64 *lamports;
  u64 data_len;
  u8 *data;
  Pubkey *owner;
  u64 rent_epoch;
  u8 is_signer;
  u8 is_writable;
  u8 executable;
} Account;

typedef struct { Pubkey *key; u8 is_writable; u8 is_signer; } AccountMeta;
typedef struct { const Pubkey *program; const AccountMeta *accounts; u64 account_count; const u8 *data; u64 data_len; } Instruction;
typedef struct { const u8 *at; u64 len; } Bytes;
typedef struct { const Bytes *seeds; u64 count; } SignerSeeds;

extern void sol_log_(const char *message, u64 len);
extern void sol_log_data(const Bytes *fields, u64 count);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *accounts, u64 account_count, const SignerSeeds *, u64 signer_count);
extern u64 sol_create_program_address(const Bytes *seeds, u64 count, const Pubkey *program, Pubkey *address);
extern u64 sol_try_find_program_address(const Bytes *seeds, u64 count, const Pubkey *program, Pubkey *address, u8 *bump);
extern u64 sol_sha256(const Bytes *parts, u64 count, u8 *hash);
extern u64 sol_get_clock_sysvar(void *clock);
extern u64 sol_get_rent_sysvar(void *rent);

#define OK 0

/** Leaves the function with the error of a step, if it has one. */
#define TRY(step) do { const u64 error_ = (step); if (error_ != OK) return error_; } while (0)

/** Leaves the function with an error unless something holds. */
#define REQUIRE(condition, error) do { if (!(condition)) return (error); } while (0)

#define LOG(text) sol_log_(text, sizeof(text) - 1)

/** A function of its own, with a stack frame of its own (4,096 bytes). */
#define OWN_FRAME static __attribute__((noinline))

#endif
