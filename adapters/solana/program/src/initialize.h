/*
 * Making the depository, once, and handing its two roles on.
 *
 * SECURITY: whoever initialises chooses the allocator, and so commands the vault. It has to be signed by the
 * program's own address, which only whoever deployed it has the key of; nobody can be faster than that.
 */
#ifndef DEPOSITORY_INITIALIZE_H
#define DEPOSITORY_INITIALIZE_H

#include "invoke.h"
#include "state.h"

static const u8 DOMAIN_NAME[] = {15, 0, 0, 0, 'R', 'e', 'l', 'a', 'y', 'D', 'e', 'p', 'o', 's', 'i', 't', 'o', 'r', 'y'};
static const u8 DOMAIN_VERSION[] = {1, 0, 0, 0, '1'};

/**
 * initialize(chain_id: Vec<u8>). Accounts: relay_depository (w), vault (w), owner (s, w; pays), allocator, system program,
 * the program itself (s).
 * It puts into the vault what an account must hold, so that the first deposit may be of any size and all of it can be withdrawn.
 * The domain is the sha256 of the Borsh of {name, version, chain_id, program}.
 */
OWN_FRAME u64 initialize(const Input *input, const u8 *args, u64 len) {
  REQUIRE(input->account_count >= 6, NOT_ENOUGH_ACCOUNTS);
  const Account *depository = &input->accounts[0], *vault = &input->accounts[1], *owner = &input->accounts[2];
  const Account *allocator = &input->accounts[3], *system_program = &input->accounts[4], *self = &input->accounts[5];
  REQUIRE(len >= 4 && len == 4 + (u64)read_u32(args), INSTRUCTION_DID_NOT_DESERIALIZE);
  TRY(require_address(self, input->program, UNAUTHORIZED));
  TRY(require_signer(self));
  TRY(require_signer(owner));
  TRY(require_writable(owner));
  TRY(require_writable(depository));
  TRY(require_writable(vault));
  TRY(require_address(system_program, &SYSTEM_PROGRAM, WRONG_PROGRAM));
  u8 bump, vault_bump;
  TRY(require_depository_address(depository, input->program, &bump));
  const Bytes vault_seeds[1] = {{VAULT_SEED, sizeof VAULT_SEED}};
  TRY(require_found(vault, vault_seeds, 1, input->program, &vault_bump));
  const Bytes seeds[2] = {{DEPOSITORY_SEED, sizeof DEPOSITORY_SEED}, {&bump, 1}};
  const SignerSeeds signer = {seeds, 2};
  // A second time it fails here: the address is not the System program's any more.
  TRY(create_account(input, owner, depository, DEPOSITORY_LEN, &signer));
  write_u64(depository->data, DEPOSITORY_DISCRIMINATOR);
  *owner_of(depository) = *owner->key;
  *allocator_of(depository) = *allocator->key;
  *vault_bump_of(depository) = vault_bump;
  u64 kept;
  TRY(rent_exempt(0, &kept));
  if (*vault->lamports < kept) TRY(transfer_lamports(input, owner, vault, kept - *vault->lamports, 0));
  const Bytes domain[4] = {{DOMAIN_NAME, sizeof DOMAIN_NAME}, {DOMAIN_VERSION, sizeof DOMAIN_VERSION}, {args, len}, {input->program->bytes, 32}};
  return sol_sha256(domain, 4, domain_of(depository));
}

/** set_allocator(key) and set_owner(key). Accounts: relay_depository (w), owner (s). */
OWN_FRAME u64 set_role(const Input *input, const u8 *args, u64 len, u64 is_owner) {
  REQUIRE(input->account_count >= 2, NOT_ENOUGH_ACCOUNTS);
  REQUIRE(len == 32, INSTRUCTION_DID_NOT_DESERIALIZE);
  const Account *depository = &input->accounts[0], *owner = &input->accounts[1];
  TRY(require_depository(depository, input->program));
  TRY(require_writable(depository));
  TRY(require_signer(owner));
  REQUIRE(same_key(owner->key, owner_of(depository)), UNAUTHORIZED);
  copy_bytes((is_owner ? owner_of(depository) : allocator_of(depository))->bytes, args, 32);
  return OK;
}

#endif
