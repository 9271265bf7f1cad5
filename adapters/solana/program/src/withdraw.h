/*
 * execute_transfer: what the allocator has signed is paid out of the vault, once, before it expires, by anybody.
 */
#ifndef DEPOSITORY_WITHDRAW_H
#define DEPOSITORY_WITHDRAW_H

#include "invoke.h"
#include "request.h"
#include "state.h"

#define TRANSFER_EVENT 0x7c782c12b8b20a5cULL

/* The accounts of execute_transfer. Those of tokens are the program's own address where SOL is paid. */
enum {
  RELAY_DEPOSITORY, EXECUTOR, RECIPIENT, VAULT, MINT, RECIPIENT_ACCOUNT, VAULT_ACCOUNT, USED_REQUEST, SYSVAR, A_TOKEN_PROGRAM,
  AN_ASSOCIATED_TOKEN_PROGRAM, A_SYSTEM_PROGRAM, TRANSFER_ACCOUNTS
};

/** What the runtime says the time is. */
typedef struct { u64 slot; i64 epoch_start; u64 epoch; u64 leader_schedule_epoch; i64 unix_timestamp; } Clock;

OWN_FRAME u64 require_in_time(i64 expiration) {
  Clock clock;
  TRY(sol_get_clock_sysvar(&clock));
  REQUIRE(clock.unix_timestamp < expiration, SIGNATURE_EXPIRED);
  return OK;
}

/** Marks a request as used, which it can be once. */
OWN_FRAME u64 use_request(const Input *input, const Request *request) {
  const Account *used = &input->accounts[USED_REQUEST];
  const Bytes seeds[2] = {{USED_REQUEST_SEED, sizeof USED_REQUEST_SEED}, {request->id, 32}};
  u8 bump;
  TRY(require_writable(used));
  TRY(require_found(used, seeds, 2, input->program, &bump));
  REQUIRE(!same_key(used->owner, input->program), TRANSFER_REQUEST_ALREADY_USED);
  const Bytes signing[3] = {seeds[0], seeds[1], {&bump, 1}};
  const SignerSeeds signer = {signing, 3};
  TRY(create_account(input, &input->accounts[EXECUTOR], used, USED_REQUEST_LEN, &signer));
  write_u64(used->data, USED_REQUEST_DISCRIMINATOR);
  used->data[8] = 1;
  return OK;
}

/** SOL to the recipient. The vault keeps what the runtime asks of an account without data. */
OWN_FRAME u64 pay_native(const Input *input, const Request *request, const SignerSeeds *signer) {
  const Account *recipient = &input->accounts[RECIPIENT], *vault = &input->accounts[VAULT];
  u64 floor;
  TRY(require_writable(vault));
  TRY(require_writable(recipient));
  TRY(rent_exempt(0, &floor));
  REQUIRE(*vault->lamports >= floor && request->amount <= *vault->lamports - floor, INSUFFICIENT_VAULT_BALANCE);
  return transfer_lamports(input, vault, recipient, request->amount, signer);
}

/** Tokens to the recipient's associated token account, which has to be there. */
OWN_FRAME u64 pay_token(const Input *input, const Request *request, const SignerSeeds *signer) {
  const Account *a = input->accounts;
  const Account *recipient = &a[RECIPIENT], *vault = &a[VAULT], *mint = &a[MINT], *token_program = &a[A_TOKEN_PROGRAM];
  const Account *to = &a[RECIPIENT_ACCOUNT], *from = &a[VAULT_ACCOUNT];
  TRY(require_address(mint, request->mint, INVALID_MINT));
  TRY(require_token_program(token_program, mint));
  TRY(require_writable(to));
  TRY(require_writable(from));
  TRY(require_associated(to, recipient->key, mint, token_program, NOT_ASSOCIATED));
  TRY(require_token_account(to, recipient->key, mint, token_program, INVALID_RECIPIENT));
  TRY(require_associated(from, vault->key, mint, token_program, INVALID_VAULT_TOKEN_ACCOUNT));
  TRY(require_token_account(from, vault->key, mint, token_program, INVALID_VAULT_TOKEN_ACCOUNT));
  const Account *const moved[5] = {token_program, from, mint, to, vault};
  return transfer_tokens(input, moved, request->amount, signer);
}

/** TransferExecutedEvent {request, executor, id: address of used_request}. */
OWN_FRAME void log_transfer(const Input *input, const Request *request) {
  u8 event[8 + TOKEN_LEN + 64];
  write_u64(event, TRANSFER_EVENT);
  copy_bytes(event + 8, request->bytes, request->len);
  u8 *at = event + 8 + request->len;
  COPY(at, input->accounts[EXECUTOR].key->bytes, 32);
  COPY(at + 32, input->accounts[USED_REQUEST].key->bytes, 32);
  const Bytes field = {event, 8 + request->len + 64};
  sol_log_data(&field, 1);
}

/** Everything that has to be so before anything is moved, but for what depends on the kind of money. */
OWN_FRAME u64 require_transfer(const Input *input, const Request *request) {
  const Account *a = input->accounts;
  const Account *depository = &a[RELAY_DEPOSITORY], *executor = &a[EXECUTOR], *vault = &a[VAULT];
  TRY(require_depository(depository, input->program));
  TRY(require_signer(executor));
  TRY(require_writable(executor));
  TRY(require_vault(vault, depository, input->program));
  TRY(require_address(&a[A_SYSTEM_PROGRAM], &SYSTEM_PROGRAM, WRONG_PROGRAM));
  TRY(require_in_time(request->expiration));
  TRY(require_signed(&a[SYSVAR], allocator_of(depository), request->id));
  REQUIRE(same_key(vault->key, request->vault), INVALID_VAULT_ADDRESS);
  REQUIRE(same_bytes(request->bytes, domain_of(depository), 32), INVALID_DOMAIN_SEPARATOR);
  REQUIRE(same_key(a[RECIPIENT].key, request->recipient) && !same_key(request->recipient, vault->key), INVALID_RECIPIENT);
  return OK;
}

/** execute_transfer(request). The instruction before it has the Ed25519 program verify the allocator's signature. */
OWN_FRAME u64 execute_transfer(const Input *input, const u8 *args, u64 len) {
  LOG("Instruction: ExecuteTransfer");
  REQUIRE(input->account_count >= TRANSFER_ACCOUNTS, NOT_ENOUGH_ACCOUNTS);
  Request request;
  TRY(read_request(args, len, &request));
  TRY(require_transfer(input, &request));
  TRY(use_request(input, &request));
  const Bytes seeds[2] = {{VAULT_SEED, sizeof VAULT_SEED}, {vault_bump_of(&input->accounts[RELAY_DEPOSITORY]), 1}};
  const SignerSeeds signer = {seeds, 2};
  if (request.mint == 0) TRY(pay_native(input, &request, &signer));
  else TRY(pay_token(input, &request, &signer));
  log_transfer(input, &request);
  return OK;
}

#endif
