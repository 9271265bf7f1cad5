/*
 * What an account has to be before anything is done with it.
 *
 * SECURITY: an account is whatever the sender of the transaction says. Nothing of it may be used before
 * its address, its owner or its signature has been compared with something that the sender does not choose.
 */
#ifndef DEPOSITORY_CHECKS_H
#define DEPOSITORY_CHECKS_H

#include "addresses.h"
#include "bytes.h"
#include "errors.h"
#include "runtime.h"

static inline u64 require_signer(const Account *account) { return account->is_signer ? OK : NOT_SIGNER; }

static inline u64 require_writable(const Account *account) { return account->is_writable ? OK : NOT_WRITABLE; }

static inline u64 require_address(const Account *account, const Pubkey *wanted, u64 error) {
  return same_key(account->key, wanted) ? OK : error;
}

/** An account at the address that these seeds find; `bump` is told when somebody wants to know. */
OWN_FRAME u64 require_found(const Account *account, const Bytes *seeds, u64 count, const Pubkey *program, u8 *bump) {
  Pubkey wanted;
  REQUIRE(sol_try_find_program_address(seeds, count, program, &wanted, bump) == OK, WRONG_SEEDS);
  return require_address(account, &wanted, WRONG_SEEDS);
}

/** One of the two token programs, which owns the mint. */
OWN_FRAME u64 require_token_program(const Account *program, const Account *mint) {
  REQUIRE(same_key(program->key, &TOKEN_PROGRAM) || same_key(program->key, &TOKEN_2022_PROGRAM), INVALID_TOKEN_PROGRAM);
  REQUIRE(same_key(mint->owner, program->key), INVALID_MINT);
  // Shorter is a token account or nothing; decimals lie at byte 44, whether it is initialised at 45.
  REQUIRE(mint->data_len >= 82 && mint->data[45] == 1, INVALID_MINT);
  return OK;
}

/** The address of the associated token account of a wallet. */
OWN_FRAME u64 require_associated(const Account *account, const Pubkey *wallet, const Account *mint, const Account *token_program, u64 error) {
  const Bytes seeds[3] = {{wallet->bytes, 32}, {token_program->key->bytes, 32}, {mint->key->bytes, 32}};
  u8 bump;
  return require_found(account, seeds, 3, &ASSOCIATED_TOKEN_PROGRAM, &bump) == OK ? OK : error;
}

/**
 * A token account of that mint which that wallet commands. The address alone does not say it: the owner of an
 * associated account of the classic program can hand it to somebody else.
 */
OWN_FRAME u64 require_token_account(const Account *account, const Pubkey *wallet, const Account *mint, const Account *token_program, u64 error) {
  REQUIRE(same_key(account->owner, token_program->key) && account->data_len >= 165, error);
  REQUIRE(same_bytes(account->data, mint->key->bytes, 32), error);
  REQUIRE(same_bytes(account->data + 32, wallet->bytes, 32), error);
  return OK;
}

static inline u64 token_amount(const Account *account) { return read_u64(account->data + 64); }

#endif
