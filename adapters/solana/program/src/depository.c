/*
 * The depository on Solana: money comes in with the id of an order, and goes out when the allocator has signed it.
 * README.md beside this folder says what is decided here, and how it is built. One unit: the linker takes one object.
 */
#include "deposit.h"
#include "initialize.h"
#include "withdraw.h"

/* sha256("global:<name>")[0..8], little-endian, as Anchor's clients call. */
#define INITIALIZE 0xed9b980d1f6dafafULL
#define SET_ALLOCATOR 0x11b6f9e3ea82805cULL
#define SET_OWNER 0xc560804d3478ca48ULL
#define DEPOSIT_NATIVE 0x061cd55fdf0d9e0dULL
#define DEPOSIT_TOKEN 0x13b4a327da609c0bULL
#define EXECUTE_TRANSFER 0x771fceebb8a07ee9ULL

OWN_FRAME u64 run(const Input *input) {
  REQUIRE(input->data_len >= 8, UNKNOWN_INSTRUCTION);
  const u8 *args = input->data + 8;
  const u64 len = input->data_len - 8;
  const u64 name = read_u64(input->data);
  // Comparisons, not a switch: the compiler would make a table of jumps of it.
  if (name == DEPOSIT_NATIVE) return deposit_native(input, args, len);
  if (name == DEPOSIT_TOKEN) return deposit_token(input, args, len);
  if (name == EXECUTE_TRANSFER) return execute_transfer(input, args, len);
  if (name == INITIALIZE) return initialize(input, args, len);
  if (name == SET_ALLOCATOR) return set_role(input, args, len, 0);
  if (name == SET_OWNER) return set_role(input, args, len, 1);
  return UNKNOWN_INSTRUCTION;
}

u64 entrypoint(u8 *at) {
  Input input;
  TRY(read_input(at, &input));
  return run(&input);
}
