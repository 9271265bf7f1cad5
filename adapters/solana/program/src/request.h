/*
 * A request to take something out of the vault: its Borsh, its id, and whether the allocator has signed it.
 *
 * {domain [32], recipient [32], token Option<[32]>, amount u64, nonce u64, expiration i64, vault_address [32]};
 * the id is the sha256 of these bytes.
 */
#ifndef DEPOSITORY_REQUEST_H
#define DEPOSITORY_REQUEST_H

#include "addresses.h"
#include "bytes.h"
#include "errors.h"
#include "runtime.h"

typedef struct {
  const u8 *bytes;
  u64 len;
  const Pubkey *recipient;
  /** None for SOL. */
  const Pubkey *mint;
  u64 amount;
  i64 expiration;
  const Pubkey *vault;
  u8 id[32];
} Request;

#define NATIVE_LEN 121
#define TOKEN_LEN 153

OWN_FRAME u64 read_request(const u8 *bytes, u64 len, Request *request) {
  REQUIRE(len == NATIVE_LEN || len == TOKEN_LEN, INSTRUCTION_DID_NOT_DESERIALIZE);
  const u64 has_mint = len == TOKEN_LEN;
  REQUIRE(bytes[64] == has_mint, INSTRUCTION_DID_NOT_DESERIALIZE);
  const u8 *numbers = bytes + 65 + (has_mint ? 32 : 0);
  request->bytes = bytes;
  request->len = len;
  request->recipient = (const Pubkey *)(bytes + 32);
  request->mint = has_mint ? (const Pubkey *)(bytes + 65) : 0;
  request->amount = read_u64(numbers);
  request->expiration = (i64)read_u64(numbers + 16);
  request->vault = (const Pubkey *)(numbers + 24);
  REQUIRE(request->amount != 0, INVALID_AMOUNT);
  const Bytes whole = {bytes, len};
  return sol_sha256(&whole, 1, request->id);
}

/* What an instruction for the Ed25519 program has to be, to the byte: one signature, key, signature and message within itself. */
#define ED25519_LEN 144
#define ED25519_KEY_AT 16
#define ED25519_SIGNATURE_AT 48
#define ED25519_MESSAGE_AT 112
#define THIS_INSTRUCTION 0xffff

static inline u64 is_plain_ed25519(const u8 *data, u64 len) {
  return len == ED25519_LEN && data[0] == 1 && data[1] == 0 &&
    read_u16(data + 2) == ED25519_SIGNATURE_AT && read_u16(data + 4) == THIS_INSTRUCTION &&
    read_u16(data + 6) == ED25519_KEY_AT && read_u16(data + 8) == THIS_INSTRUCTION &&
    read_u16(data + 10) == ED25519_MESSAGE_AT && read_u16(data + 12) == 32 && read_u16(data + 14) == THIS_INSTRUCTION;
}

/**
 * That the instruction before this one had the Ed25519 program verify the allocator's signature of the id.
 *
 * The sysvar: number of instructions, the offset of each, each as {number of accounts, 33 bytes an account, program,
 * length of data, data}, and in its last two bytes the index of the one that runs.
 * SECURITY: a signature that the program verified but which lies elsewhere (offsets into other instructions) proves nothing.
 */
OWN_FRAME u64 require_signed(const Account *sysvar, const Pubkey *allocator, const u8 *id) {
  REQUIRE(same_key(sysvar->key, &INSTRUCTIONS_SYSVAR), WRONG_ADDRESS);
  const u8 *data = sysvar->data;
  const u64 current = read_u16(data + sysvar->data_len - 2);
  REQUIRE(current > 0 && current < read_u16(data), MISSING_SIGNATURE);
  const u8 *before = data + read_u16(data + 2 * current);
  const u8 *program = before + 2 + 33 * (u64)read_u16(before);
  REQUIRE(same_bytes(program, ED25519_PROGRAM.bytes, 32), MISSING_SIGNATURE);
  const u8 *signed_data = program + 34;
  REQUIRE(read_u16(before) == 0 && is_plain_ed25519(signed_data, read_u16(program + 32)), MALFORMED_ED25519_DATA);
  REQUIRE(same_bytes(signed_data + ED25519_KEY_AT, allocator->bytes, 32), ALLOCATOR_SIGNER_MISMATCH);
  REQUIRE(same_bytes(signed_data + ED25519_MESSAGE_AT, id, 32), MESSAGE_MISMATCH);
  return OK;
}

#endif
