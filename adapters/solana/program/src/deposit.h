/*
 * Deposits of SOL and of tokens into the vault, for a depositor who need not be the sender.
 * The event says what the vault received: fees of Token-2022 are not credited.
 */
#ifndef DEPOSITORY_DEPOSIT_H
#define DEPOSITORY_DEPOSIT_H

#include "invoke.h"
#include "state.h"

#define DEPOSIT_EVENT 0x906b8e1f533df878ULL
#define DEPOSIT_ARGS_LEN 40

/** DepositEvent {depositor, token: Option, amount, id}. */
OWN_FRAME void log_deposit(const Pubkey *depositor, const Pubkey *mint, u64 amount, const u8 *id) {
  u8 event[8 + 32 + 33 + 8 + 32];
  write_u64(event, DEPOSIT_EVENT);
  COPY(event + 8, depositor->bytes, 32);
  u64 at = 40;
  event[at++] = mint == 0 ? 0 : 1;
  if (mint != 0) {
    COPY(event + at, mint->bytes, 32);
    at += 32;
  }
  write_u64(event + at, amount);
  COPY(event + at + 8, id, 32);
  const Bytes field = {event, at + 40};
  sol_log_data(&field, 1);
}

/** What both kinds begin with: relay_depository, sender (s, w), depositor, vault. */
OWN_FRAME u64 require_deposit(const Input *input, u64 accounts, const u8 *args, u64 len) {
  REQUIRE(input->account_count >= accounts, NOT_ENOUGH_ACCOUNTS);
  REQUIRE(len == DEPOSIT_ARGS_LEN, INSTRUCTION_DID_NOT_DESERIALIZE);
  REQUIRE(read_u64(args) != 0, INVALID_AMOUNT);
  const Account *depository = &input->accounts[0], *sender = &input->accounts[1], *vault = &input->accounts[3];
  TRY(require_depository(depository, input->program));
  TRY(require_signer(sender));
  TRY(require_writable(sender));
  return require_vault(vault, depository, input->program);
}

/** deposit_native(amount: u64, id: [u8; 32]). Accounts: relay_depository, sender (s, w), depositor, vault (w), system program. */
OWN_FRAME u64 deposit_native(const Input *input, const u8 *args, u64 len) {
  LOG("Instruction: DepositNative");
  TRY(require_deposit(input, 5, args, len));
  const Account *sender = &input->accounts[1], *depositor = &input->accounts[2], *vault = &input->accounts[3];
  TRY(require_writable(vault));
  TRY(require_address(&input->accounts[4], &SYSTEM_PROGRAM, WRONG_PROGRAM));
  TRY(transfer_lamports(input, sender, vault, read_u64(args), 0));
  log_deposit(depositor->key, 0, read_u64(args), args + 8);
  return OK;
}

/** Makes the vault's token account where there is none, and gives what is in it before the deposit. */
OWN_FRAME u64 open_vault_account(const Input *input, u64 *before) {
  const Account *a = input->accounts;
  const Account *sender = &a[1], *vault = &a[3], *mint = &a[4], *vault_account = &a[6], *token_program = &a[7];
  if (vault_account->data_len == 0) {
    const Account *const made[5] = {sender, vault_account, vault, mint, token_program};
    TRY(create_associated(input, made));
    // Made just now: nothing is in it. What the runtime told us of it was before.
    *before = 0;
    return OK;
  }
  TRY(require_token_account(vault_account, vault->key, mint, token_program, INVALID_VAULT_TOKEN_ACCOUNT));
  *before = token_amount(vault_account);
  return OK;
}

/**
 * deposit_token(amount: u64, id: [u8; 32]). Accounts: relay_depository, sender (s, w), depositor, vault, mint, the sender's
 * and the vault's associated token accounts (w), token program, associated token program, system program.
 */
OWN_FRAME u64 deposit_token(const Input *input, const u8 *args, u64 len) {
  LOG("Instruction: DepositToken");
  TRY(require_deposit(input, 10, args, len));
  const Account *a = input->accounts;
  const Account *sender = &a[1], *vault = &a[3], *mint = &a[4], *sender_account = &a[5], *vault_account = &a[6], *token_program = &a[7];
  TRY(require_token_program(token_program, mint));
  TRY(require_address(&a[8], &ASSOCIATED_TOKEN_PROGRAM, WRONG_PROGRAM));
  TRY(require_address(&a[9], &SYSTEM_PROGRAM, WRONG_PROGRAM));
  TRY(require_writable(sender_account));
  TRY(require_writable(vault_account));
  TRY(require_associated(sender_account, sender->key, mint, token_program, NOT_ASSOCIATED));
  TRY(require_token_account(sender_account, sender->key, mint, token_program, NOT_ASSOCIATED));
  TRY(require_associated(vault_account, vault->key, mint, token_program, INVALID_VAULT_TOKEN_ACCOUNT));
  u64 before;
  TRY(open_vault_account(input, &before));
  const Account *const moved[5] = {token_program, sender_account, mint, vault_account, sender};
  TRY(transfer_tokens(input, moved, read_u64(args), 0));
  log_deposit(a[2].key, mint->key, token_amount(vault_account) - before, args + 8);
  return OK;
}

#endif
