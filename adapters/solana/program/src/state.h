/*
 * The accounts of the program: the depository's own, the vault, and one for every executed request.
 *
 * relay_depository, at ["relay_depository"]: discriminator, owner, allocator, bump of the vault, domain.
 * The vault, at ["vault"], has no data and belongs to the System program; only this program can sign for it.
 * used_request, at ["used_request", id of the request]: discriminator, is_used.
 */
#ifndef DEPOSITORY_STATE_H
#define DEPOSITORY_STATE_H

#include "checks.h"

#define DEPOSITORY_DISCRIMINATOR 0x6bf553f3bd9c3580ULL
#define USED_REQUEST_DISCRIMINATOR 0x6bb462964d6e8687ULL

#define DEPOSITORY_LEN 105
#define USED_REQUEST_LEN 9

static inline Pubkey *owner_of(const Account *depository) { return (Pubkey *)(depository->data + 8); }
static inline Pubkey *allocator_of(const Account *depository) { return (Pubkey *)(depository->data + 40); }
static inline u8 *vault_bump_of(const Account *depository) { return depository->data + 72; }
static inline u8 *domain_of(const Account *depository) { return depository->data + 73; }

static const u8 DEPOSITORY_SEED[] = {'r', 'e', 'l', 'a', 'y', '_', 'd', 'e', 'p', 'o', 's', 'i', 't', 'o', 'r', 'y'};
static const u8 VAULT_SEED[] = {'v', 'a', 'u', 'l', 't'};
static const u8 USED_REQUEST_SEED[] = {'u', 's', 'e', 'd', '_', 'r', 'e', 'q', 'u', 'e', 's', 't'};

OWN_FRAME u64 require_depository_address(const Account *account, const Pubkey *program, u8 *bump) {
  const Bytes seeds[1] = {{DEPOSITORY_SEED, sizeof DEPOSITORY_SEED}};
  return require_found(account, seeds, 1, program, bump);
}

/** The depository's own account, initialised. */
OWN_FRAME u64 require_depository(const Account *account, const Pubkey *program) {
  u8 bump;
  REQUIRE(same_key(account->owner, program), WRONG_OWNER);
  REQUIRE(account->data_len == DEPOSITORY_LEN && read_u64(account->data) == DEPOSITORY_DISCRIMINATOR, WRONG_DISCRIMINATOR);
  return require_depository_address(account, program, &bump);
}

/** The vault of this depository. */
OWN_FRAME u64 require_vault(const Account *account, const Account *depository, const Pubkey *program) {
  const Bytes seeds[2] = {{VAULT_SEED, sizeof VAULT_SEED}, {vault_bump_of(depository), 1}};
  Pubkey wanted;
  REQUIRE(sol_create_program_address(seeds, 2, program, &wanted) == OK, WRONG_SEEDS);
  return require_address(account, &wanted, WRONG_SEEDS);
}

#endif
