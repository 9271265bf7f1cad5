/* Calls of other programs. Every callee's address has been checked by the caller. */
#ifndef DEPOSITORY_INVOKE_H
#define DEPOSITORY_INVOKE_H

#include "addresses.h"
#include "bytes.h"
#include "errors.h"
#include "input.h"

#define CALL(input, instruction, signer) \
  sol_invoke_signed_c(&(instruction), (input)->accounts, (input)->account_count, signer, (signer) == 0 ? 0 : 1)

OWN_FRAME u64 transfer_lamports(const Input *input, const Account *from, const Account *to, u64 amount, const SignerSeeds *signer) {
  u8 data[12];
  write_u32(data, 2);
  write_u64(data + 4, amount);
  const AccountMeta metas[2] = {{from->key, 1, 1}, {to->key, 1, 0}};
  const Instruction transfer = {&SYSTEM_PROGRAM, metas, 2, data, sizeof data};
  return CALL(input, transfer, signer);
}

/** TransferChecked of either token program. */
OWN_FRAME u64 transfer_tokens(const Input *input, const Account *const accounts[5], u64 amount, const SignerSeeds *signer) {
  const Account *program = accounts[0], *from = accounts[1], *mint = accounts[2], *to = accounts[3], *authority = accounts[4];
  u8 data[10];
  data[0] = 12;
  write_u64(data + 1, amount);
  data[9] = mint->data[44];
  const AccountMeta metas[4] = {{from->key, 1, 0}, {mint->key, 0, 0}, {to->key, 1, 0}, {authority->key, 0, 1}};
  const Instruction transfer = {program->key, metas, 4, data, sizeof data};
  return CALL(input, transfer, signer);
}

/** CreateIdempotent of the associated token program. */
OWN_FRAME u64 create_associated(const Input *input, const Account *const accounts[5]) {
  const Account *payer = accounts[0], *associated = accounts[1], *wallet = accounts[2], *mint = accounts[3], *token_program = accounts[4];
  const u8 data[1] = {1};
  Pubkey system_program = SYSTEM_PROGRAM;
  const AccountMeta metas[6] = {
    {payer->key, 1, 1}, {associated->key, 1, 0}, {wallet->key, 0, 0}, {mint->key, 0, 0}, {&system_program, 0, 0}, {token_program->key, 0, 0}
  };
  const Instruction create = {&ASSOCIATED_TOKEN_PROGRAM, metas, 6, data, sizeof data};
  return CALL(input, create, 0);
}

/**
 * The lamports without which the runtime keeps no account of that many bytes. The rent sysvar says lamports a byte and a
 * factor in floating point, which is 2 or, where the factor is folded in, 1.
 */
OWN_FRAME u64 rent_exempt(u64 bytes, u64 *lamports) {
  u64 rent[3];
  REQUIRE(sol_get_rent_sysvar(rent) == OK, UNKNOWN_RENT);
  const u64 one = 0x3ff0000000000000ULL, two = 0x4000000000000000ULL;
  REQUIRE(rent[1] == one || rent[1] == two, UNKNOWN_RENT);
  *lamports = (128 + bytes) * rent[0] * (rent[1] == two ? 2 : 1);
  return OK;
}

/** Allocate (8) and Assign (1) of the System program, for an account that signs by its seeds. */
OWN_FRAME u64 allocate_and_assign(const Input *input, const Account *account, u64 len, const SignerSeeds *signer) {
  const AccountMeta metas[1] = {{account->key, 1, 1}};
  u8 data[36];
  write_u32(data, 8);
  write_u64(data + 4, len);
  const Instruction allocate = {&SYSTEM_PROGRAM, metas, 1, data, 12};
  TRY(CALL(input, allocate, signer));
  write_u32(data, 1);
  COPY(data + 4, input->program->bytes, 32);
  const Instruction assign = {&SYSTEM_PROGRAM, metas, 1, data, 36};
  return CALL(input, assign, signer);
}

/**
 * Makes an account of this program. SECURITY: not by CreateAccount, which refuses an address that has lamports:
 * anybody can send some to the address of a request that he wants to hinder.
 */
OWN_FRAME u64 create_account(const Input *input, const Account *payer, const Account *account, u64 len, const SignerSeeds *signer) {
  u64 wanted;
  TRY(rent_exempt(len, &wanted));
  const u64 present = *account->lamports;
  if (present < wanted) TRY(transfer_lamports(input, payer, account, wanted - present, 0));
  return allocate_and_assign(input, account, len, signer);
}

#endif
