/**
 * Hostile input that is meant to keep a decoder busy: a megabyte of it, compared with the hash of a megabyte. Linear
 * decoders stay near it.
 */
import { addressCodec } from "./families/index.ts"
import { sha256 } from "@noble/hashes/sha2.js"
import { MAX_SIGN_IN_LENGTH, parseSignIn } from "./api-key/SignInMessage.ts"
import { Address } from "./chain/Address.ts"
import { Hex } from "./encoding/Hex.ts"
import { depositsOf } from "./families/ethereum/evidence/Deposits.ts"
import { topics } from "./families/ethereum/evidence/Events.ts"
import { decodeWithdrawal } from "./families/Withdrawals.ts"

const MEGABYTE = 1_000_000
const bytes = new Uint8Array(MEGABYTE).fill(0xa9)
const depository = Address.make("0xa9aeeaa5254407849c15688e12a168b0f9d83bf0")
const calldata = Hex.make(`0x${"a9059cbb".repeat(MEGABYTE / 8)}${"23b872dd".repeat(MEGABYTE / 8)}`)
const party = `0x${depository.slice(2).padStart(64, "0")}`
const transfer = {
  address: Address.make(`0x${"77".repeat(20)}`),
  topics: [topics.transfer, party, party],
  data: Hex.make(`0x${"1".padStart(64, "0")}`),
  logIndex: 0
}
const transaction = { from: depository, to: depository, input: calldata, value: 0n, logs: [transfer] }
const garbage = Hex.make(`0x${"20".repeat(MEGABYTE)}`)
const ones = "1".repeat(MEGABYTE)
const signIn = "- https://a.b\n".repeat(MAX_SIGN_IN_LENGTH).slice(0, MAX_SIGN_IN_LENGTH)

export const baseline = "sha256 of a megabyte"

export const cases = {
  "sha256 of a megabyte": () => sha256(bytes),
  "deposits of a transaction with a megabyte of calls in its calldata": () => depositsOf(transaction, depository),
  "a withdrawal on an EVM chain": () => decodeWithdrawal("ethereum-vm", garbage),
  "a withdrawal on Solana": () => decodeWithdrawal("solana-vm", garbage),
  "a withdrawal on Bitcoin": () => decodeWithdrawal("bitcoin-vm", garbage),
  "an address on Solana": () => addressCodec("solana-vm").parse(ones),
  "an address on Bitcoin": () => addressCodec("bitcoin-vm").parse(ones),
  "the longest message of a sign-in": () => parseSignIn(signIn)
}
