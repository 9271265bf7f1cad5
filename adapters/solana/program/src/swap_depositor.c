/*
 * Swaps its sender's tokens through a program that the sender names, and deposits the output: what the SwapDepositor is
 * on EVM chains. It holds nothing, has no accounts and no owner.
 *
 * swap_and_deposit(minimum: u64, id: [u8; 32], and the bytes of the swap's instruction). Accounts: the ten of the
 * depository's deposit_token, the depository, the swap program, then those of its instruction, with the flags that it
 * wants. What the sender's account of the deposited token gains by the swap is deposited, all of it.
 *
 * SECURITY: everything that it calls gets the sender's signature, as if the sender had called it. So what the sender
 * signs decides, not this program. It guarantees one thing: less than the minimum is never deposited, because then
 * nothing happens at all.
 */
/* Of the depository's checks only some are asked for here. */
#pragma clang diagnostic ignored "-Wunused-function"
#define MAX_ACCOUNTS 48
#include "checks.h"
#include "input.h"

/* sha256("global:<name>")[0..8], little-endian, as Anchor's clients call. */
#define SWAP_AND_DEPOSIT 0x18cd06f94a8c1532ULL
#define DEPOSIT_TOKEN 0x13b4a327da609c0bULL

#define ARGS_LEN 48
#define MOST_SWAP_LEN 512

enum SwapDepositorError { BELOW_MINIMUM = 6000 };

enum { SENDER = 1, SENDER_ACCOUNT = 5, DEPOSIT_ACCOUNTS = 10, DEPOSITORY = 10, SWAP_PROGRAM = 11, FIRST_OF_SWAP = 12 };

static inline u64 invoke(const Input *input, const Instruction *instruction) {
  return sol_invoke_signed_c(instruction, input->accounts, input->account_count, 0, 0);
}

/** The swap's instruction, with its accounts and bytes as they were given. */
OWN_FRAME u64 swap(const Input *input) {
  AccountMeta metas[MAX_ACCOUNTS];
  const u64 count = input->account_count - FIRST_OF_SWAP;
  for (u64 at = 0; at < count; at += 1) {
    const Account *account = &input->accounts[FIRST_OF_SWAP + at];
    metas[at].key = account->key;
    metas[at].is_writable = account->is_writable;
    metas[at].is_signer = account->is_signer;
  }
  const Instruction call = {input->accounts[SWAP_PROGRAM].key, metas, count, input->data + ARGS_LEN, input->data_len - ARGS_LEN};
  return invoke(input, &call);
}

/** deposit_token of the depository, with the flags that it asks for. */
OWN_FRAME u64 deposit(const Input *input, u64 amount) {
  AccountMeta metas[DEPOSIT_ACCOUNTS];
  for (u64 at = 0; at < DEPOSIT_ACCOUNTS; at += 1) {
    metas[at].key = input->accounts[at].key;
    metas[at].is_signer = at == SENDER;
    metas[at].is_writable = at == SENDER || at == SENDER_ACCOUNT || at == SENDER_ACCOUNT + 1;
  }
  u8 data[8 + 8 + 32];
  write_u64(data, DEPOSIT_TOKEN);
  write_u64(data + 8, amount);
  COPY(data + 16, input->data + 16, 32);
  const Instruction call = {input->accounts[DEPOSITORY].key, metas, DEPOSIT_ACCOUNTS, data, sizeof data};
  return invoke(input, &call);
}

/** What is in the sender's account. The depository checks later whose it is, and of which token. */
OWN_FRAME u64 read_held(const Input *input, u64 *held) {
  const Account *account = &input->accounts[SENDER_ACCOUNT];
  REQUIRE(account->data_len >= 165, NOT_ASSOCIATED);
  *held = token_amount(account);
  return OK;
}

OWN_FRAME u64 run(const Input *input) {
  LOG("Instruction: SwapAndDeposit");
  REQUIRE(input->data_len > ARGS_LEN && input->data_len <= ARGS_LEN + MOST_SWAP_LEN, INSTRUCTION_DID_NOT_DESERIALIZE);
  REQUIRE(read_u64(input->data) == SWAP_AND_DEPOSIT, UNKNOWN_INSTRUCTION);
  REQUIRE(input->account_count > FIRST_OF_SWAP, NOT_ENOUGH_ACCOUNTS);
  TRY(require_signer(&input->accounts[SENDER]));
  u64 before, after;
  TRY(read_held(input, &before));
  TRY(swap(input));
  TRY(read_held(input, &after));
  REQUIRE(after >= before && after - before >= read_u64(input->data + 8), BELOW_MINIMUM);
  return deposit(input, after - before);
}

u64 entrypoint(u8 *at) {
  Input input;
  TRY(read_input(at, &input));
  return run(&input);
}
