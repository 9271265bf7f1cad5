/*
 * The input of an instruction, as the runtime lays it out: accounts, data, the program's own id.
 * Guarantee: at most MAX_ACCOUNTS accounts; what an instruction wants beyond them is not there.
 */
#ifndef DEPOSITORY_INPUT_H
#define DEPOSITORY_INPUT_H

#include "errors.h"
#include "runtime.h"

/* Another program that is read in the same way may have more. */
#ifndef MAX_ACCOUNTS
#define MAX_ACCOUNTS 16
#endif

/** Room that the runtime leaves behind an account's data, so that it may grow. */
#define GROWTH 10240

#define NO_DUPLICATE 0xff

typedef struct {
  Account accounts[MAX_ACCOUNTS];
  u64 account_count;
  const u8 *data;
  u64 data_len;
  const Pubkey *program;
} Input;

/** Reads one account and gives where the next begins. A repeated account is the earlier one again. */
OWN_FRAME u8 *read_account(u8 *at, Account *account, const Account *earlier) {
  if (at[0] != NO_DUPLICATE) {
    *account = earlier[at[0]];
    return at + 8;
  }
  account->is_signer = at[1];
  account->is_writable = at[2];
  account->executable = at[3];
  account->key = (Pubkey *)(at + 8);
  account->owner = (Pubkey *)(at + 40);
  account->lamports = (u64 *)(at + 72);
  account->data_len = *(u64 *)(at + 80);
  account->data = at + 88;
  u8 *end = (u8 *)(((u64)account->data + account->data_len + GROWTH + 7) & ~7ULL);
  account->rent_epoch = *(u64 *)end;
  return end + 8;
}

OWN_FRAME u64 read_input(u8 *at, Input *input) {
  input->account_count = *(u64 *)at;
  REQUIRE(input->account_count <= MAX_ACCOUNTS, NOT_ENOUGH_ACCOUNTS);
  at += 8;
  for (u64 i = 0; i < input->account_count; i += 1) at = read_account(at, &input->accounts[i], input->accounts);
  input->data_len = *(u64 *)at;
  input->data = at + 8;
  input->program = (const Pubkey *)(input->data + input->data_len);
  return OK;
}

#endif
