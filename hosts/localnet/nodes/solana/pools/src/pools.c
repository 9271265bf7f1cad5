/*
 * Constant-product pools and the route through them, for the local network alone: what swaps are tried against.
 *
 * Four instructions with the names, and at their end the numbers, of Jupiter's: route, exact_out_route, and both with shared
 * accounts. Data: name u64, whatever says the route (the accounts say it here), then given u64 (what goes in, or comes out),
 * quoted u64 (the other), slippage u16 and fee u8 in basis points. Accounts: token program, user (s), authority, the user's
 * source (w), then for each hop pool, vault in (w), vault out (w), destination (w).
 * What a hop pays out is the next one's input: in an account of the user's, or in one that the authority has for everybody.
 * A pool is 139 bytes of this program: name u64, both mints, both vaults, a byte that is 0, the fee in basis points u16.
 * README.md beside this folder says what it is not.
 */
/* Of the depository's checks only some are asked for here. */
#pragma clang diagnostic ignored "-Wunused-function"
#define MAX_ACCOUNTS 24
#include "../../../../../../adapters/solana/program/src/checks.h"
#include "../../../../../../adapters/solana/program/src/input.h"
#include "arithmetic.h"

/* sha256("global:<name>")[0..8] and sha256("account:Pool")[0..8], little-endian, as Anchor's clients call. */
#define ROUTE 0x2aade37a97cb17e5ULL
#define EXACT_OUT_ROUTE 0x5ced2b7b97ef33d0ULL
#define SHARED_ACCOUNTS_ROUTE 0x819cd641339b20c1ULL
#define SHARED_ACCOUNTS_EXACT_OUT_ROUTE 0x3e457d9aa869d1b0ULL
#define POOL 0xbc6db111046d9af1ULL

#define POOL_LEN 139
#define TAIL_LEN 19
#define MAX_HOPS 5
#define WHOLE_BPS 10000

enum PoolError { LIMIT_EXCEEDED = 6001, NO_LIQUIDITY = 6101, NOT_THE_POOLS = 6102, POOL_TWICE = 6103 };

enum { A_TOKEN_PROGRAM, USER, AUTHORITY, SOURCE, FIRST_HOP };
enum { POOL_ACCOUNT, VAULT_IN, VAULT_OUT, DESTINATION, HOP_ACCOUNTS };

static const u8 AUTHORITY_SEED[] = {'a', 'u', 't', 'h', 'o', 'r', 'i', 't', 'y'};

typedef struct { u64 in, out, fee; } Hop;

static inline const Account *hop_account(const Input *input, u64 hop, u64 which) { return &input->accounts[FIRST_HOP + hop * HOP_ACCOUNTS + which]; }

/** What the pool of a hop holds on either side, which way it is passed, and what it takes. */
OWN_FRAME u64 read_hop(const Input *input, u64 at, Hop *hop) {
  const Account *pool = hop_account(input, at, POOL_ACCOUNT), *in = hop_account(input, at, VAULT_IN), *out = hop_account(input, at, VAULT_OUT);
  REQUIRE(same_key(pool->owner, input->program), WRONG_OWNER);
  REQUIRE(pool->data_len == POOL_LEN && read_u64(pool->data) == POOL, WRONG_DISCRIMINATOR);
  const u8 *vaults = pool->data + 72;
  const u64 forward = same_bytes(vaults, in->key->bytes, 32) && same_bytes(vaults + 32, out->key->bytes, 32);
  const u64 backward = same_bytes(vaults, out->key->bytes, 32) && same_bytes(vaults + 32, in->key->bytes, 32);
  REQUIRE(forward || backward, NOT_THE_POOLS);
  for (u64 other = 0; other < at; other += 1) REQUIRE(!same_key(pool->key, hop_account(input, other, POOL_ACCOUNT)->key), POOL_TWICE);
  hop->in = token_amount(in);
  hop->out = token_amount(out);
  hop->fee = read_u16(pool->data + 137);
  return OK;
}

/** The fee stays behind, rounded up; what is left moves along the curve. */
OWN_FRAME u64 amount_out(const Hop *hop, u64 in, u64 *out) {
  u64 fee;
  TRY(mul_div(in, hop->fee, WHOLE_BPS, 1, &fee));
  const u64 moved = in - fee;
  REQUIRE(hop->in != 0 && hop->out != 0 && moved <= ~0ULL - hop->in, NO_LIQUIDITY);
  return mul_div(moved, hop->out, hop->in + moved, 0, out);
}

/** The least input that gives so much. */
OWN_FRAME u64 amount_in(const Hop *hop, u64 out, u64 *in) {
  u64 moved;
  REQUIRE(hop->in != 0 && out < hop->out, NO_LIQUIDITY);
  TRY(mul_div(out, hop->in, hop->out - out, 1, &moved));
  return mul_div(moved, WHOLE_BPS, WHOLE_BPS - hop->fee, 1, in);
}

/** Transfer of the token program, by the user or by the authority, whichever the account belongs to. */
OWN_FRAME u64 move(const Input *input, const Account *from, const Account *to, u64 amount, const SignerSeeds *seeds) {
  const Account *authority = &input->accounts[AUTHORITY], *user = &input->accounts[USER];
  REQUIRE(from->data_len >= 165, INVALID_VAULT_TOKEN_ACCOUNT);
  const u64 own = same_bytes(from->data + 32, authority->key->bytes, 32);
  u8 data[9];
  data[0] = 3;
  write_u64(data + 1, amount);
  const AccountMeta metas[3] = {{from->key, 1, 0}, {to->key, 1, 0}, {own ? authority->key : user->key, 0, 1}};
  const Instruction transfer = {&TOKEN_PROGRAM, metas, 3, data, sizeof data};
  return sol_invoke_signed_c(&transfer, input->accounts, input->account_count, seeds, own ? 1 : 0);
}

typedef struct { u64 exact_out, given, limit; } Terms;

/** The least output, rounded up, or the most input. */
OWN_FRAME u64 read_terms(const Input *input, Terms *terms) {
  REQUIRE(input->data_len >= 8 + TAIL_LEN, INSTRUCTION_DID_NOT_DESERIALIZE);
  const u64 name = read_u64(input->data);
  terms->exact_out = name == EXACT_OUT_ROUTE || name == SHARED_ACCOUNTS_EXACT_OUT_ROUTE;
  REQUIRE(terms->exact_out || name == ROUTE || name == SHARED_ACCOUNTS_ROUTE, UNKNOWN_INSTRUCTION);
  const u8 *tail = input->data + input->data_len - TAIL_LEN;
  const u64 slippage = read_u16(tail + 16);
  REQUIRE(slippage <= WHOLE_BPS && tail[18] == 0, INSTRUCTION_DID_NOT_DESERIALIZE);
  terms->given = read_u64(tail);
  return mul_div(read_u64(tail + 8), terms->exact_out ? WHOLE_BPS + slippage : WHOLE_BPS - slippage, WHOLE_BPS, !terms->exact_out, &terms->limit);
}

/** amounts[0] goes in, amounts[hops] comes out. */
OWN_FRAME u64 amounts_of(const Hop *hops, u64 count, const Terms *terms, u64 *amounts) {
  if (!terms->exact_out) {
    amounts[0] = terms->given;
    for (u64 at = 0; at < count; at += 1) TRY(amount_out(&hops[at], amounts[at], &amounts[at + 1]));
    REQUIRE(amounts[count] >= terms->limit, LIMIT_EXCEEDED);
    return OK;
  }
  amounts[count] = terms->given;
  for (u64 at = count; at > 0; at -= 1) TRY(amount_in(&hops[at - 1], amounts[at], &amounts[at - 1]));
  REQUIRE(amounts[0] <= terms->limit, LIMIT_EXCEEDED);
  return OK;
}

OWN_FRAME u64 route(const Input *input) {
  const u64 rest = input->account_count - FIRST_HOP;
  const u64 count = rest / HOP_ACCOUNTS;
  REQUIRE(input->account_count > FIRST_HOP && rest % HOP_ACCOUNTS == 0 && count <= MAX_HOPS, NOT_ENOUGH_ACCOUNTS);
  const Bytes seeds[1] = {{AUTHORITY_SEED, sizeof AUTHORITY_SEED}};
  u8 bump;
  TRY(require_found(&input->accounts[AUTHORITY], seeds, 1, input->program, &bump));
  TRY(require_signer(&input->accounts[USER]));
  TRY(require_address(&input->accounts[A_TOKEN_PROGRAM], &TOKEN_PROGRAM, INVALID_TOKEN_PROGRAM));
  // SECURITY: the first is the user's to give; the authority signs for nobody's money but what this very route has brought.
  REQUIRE(input->accounts[SOURCE].data_len >= 165 && !same_bytes(input->accounts[SOURCE].data + 32, input->accounts[AUTHORITY].key->bytes, 32), NOT_THE_POOLS);
  Hop hops[MAX_HOPS];
  u64 amounts[MAX_HOPS + 1];
  for (u64 at = 0; at < count; at += 1) TRY(read_hop(input, at, &hops[at]));
  Terms terms;
  TRY(read_terms(input, &terms));
  TRY(amounts_of(hops, count, &terms, amounts));
  const Bytes signing[2] = {seeds[0], {&bump, 1}};
  const SignerSeeds signer = {signing, 2};
  const Account *from = &input->accounts[SOURCE];
  for (u64 at = 0; at < count; at += 1) {
    TRY(move(input, from, hop_account(input, at, VAULT_IN), amounts[at], &signer));
    from = hop_account(input, at, DESTINATION);
    TRY(move(input, hop_account(input, at, VAULT_OUT), from, amounts[at + 1], &signer));
  }
  return OK;
}

u64 entrypoint(u8 *at) {
  Input input;
  TRY(read_input(at, &input));
  LOG("Instruction: Route");
  return route(&input);
}
