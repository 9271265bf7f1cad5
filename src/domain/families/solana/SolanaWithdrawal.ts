/**
 * Withdrawals of solana-vm: a transfer request of the depository program, in Borsh (SOLANA-5).
 *
 * {domain [32], recipient [32], token Option<[32]>, amount u64, nonce u64, expiration i64, vault_address [32]},
 * little-endian. The id is the sha256 of these bytes.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { asCurrency } from "../AddressCodec.ts"
import { solanaAddresses } from "./SolanaAddresses.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "../../encoding/Hex.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { expiresAt, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"
import { vaultOf } from "./evidence/Programs.ts"

export interface SolanaWithdrawal {
  readonly domain: Hex32
  readonly recipient: Address
  /** The mint. Undefined for SOL. */
  readonly token: Address | undefined
  readonly amount: bigint
  readonly nonce: bigint
  /** Seconds since 1970. A signed number in the program. */
  readonly expiration: bigint
  readonly vault: Address
}

const family = "solana-vm"
const named = asInvalidWithdrawal(family)
const withoutToken = 32 + 32 + 1 + 8 + 8 + 8 + 32
const tokenFlag = 64

const address = (bytes: Uint8Array): Result.Result<Address, InvalidWithdrawal> =>
  Result.mapError(solanaAddresses.fromBytes(bytes), named)

const bytesOf = (text: string): Result.Result<Uint8Array, InvalidWithdrawal> =>
  Result.mapError(solanaAddresses.toBytes(text), named)

/** Reads the Borsh of a transfer request (SOLANA-5). Refuses every other length. */
export const decodeSolanaWithdrawal = (encoded: Hex): Result.Result<SolanaWithdrawal, InvalidWithdrawal> =>
  Result.gen(function*() {
    const data = hexToBytes(encoded)
    const flag = data[tokenFlag]
    if ((flag !== 0 && flag !== 1) || data.length !== withoutToken + flag * 32) {
      return yield* invalidWithdrawal(family, "not the Borsh of a transfer request")
    }
    const numbers = tokenFlag + 1 + flag * 32
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    return {
      domain: hex32FromDigest(data.subarray(0, 32)),
      recipient: yield* address(data.slice(32, 64)),
      token: flag === 1 ? yield* address(data.slice(tokenFlag + 1, numbers)) : undefined,
      amount: view.getBigUint64(numbers, true),
      nonce: view.getBigUint64(numbers + 8, true),
      expiration: view.getBigInt64(numbers + 16, true),
      vault: yield* address(data.slice(numbers + 24))
    }
  })

/** Fails when an address is invalid, or a number does not fit its 64 bits. */
export const encodeSolanaWithdrawal = (withdrawal: SolanaWithdrawal): Result.Result<Hex, InvalidWithdrawal> =>
  Result.gen(function*() {
    const { amount, expiration, nonce } = withdrawal
    if (BigInt.asUintN(64, amount) !== amount || BigInt.asUintN(64, nonce) !== nonce) {
      return yield* invalidWithdrawal(family, "amount or nonce is no u64")
    }
    if (BigInt.asIntN(64, expiration) !== expiration) return yield* invalidWithdrawal(family, "expiration is no i64")
    const numbers = new Uint8Array(24)
    const view = new DataView(numbers.buffer)
    view.setBigUint64(0, amount, true)
    view.setBigUint64(8, nonce, true)
    view.setBigInt64(16, expiration, true)
    const token = withdrawal.token === undefined
      ? Uint8Array.of(0)
      : Uint8Array.of(1, ...yield* bytesOf(withdrawal.token))
    return hexFromBytes(
      concatBytes(
        hexToBytes(withdrawal.domain),
        yield* bytesOf(withdrawal.recipient),
        token,
        numbers,
        yield* bytesOf(withdrawal.vault)
      )
    )
  })

/** sha256 of the Borsh (SOLANA-5). */
export const solanaWithdrawalId = (withdrawal: SolanaWithdrawal): Result.Result<Hex32, InvalidWithdrawal> =>
  Result.map(encodeSolanaWithdrawal(withdrawal), (encoded) => hex32FromDigest(sha256(hexToBytes(encoded))))

/** SOL or a token to the recipient's wallet. An amount of zero is an error. */
const payoutOf = (withdrawal: SolanaWithdrawal): Result.Result<Payout, InvalidWithdrawal> =>
  withdrawal.amount === 0n
    ? invalidWithdrawal(family, "an amount of zero")
    : Result.succeed({
      currency: withdrawal.token === undefined ? solanaAddresses.nativeCurrency : asCurrency(withdrawal.token),
      recipient: withdrawal.recipient,
      amount: withdrawal.amount
    })

/**
 * SECURITY: a withdrawal from another program's vault is never executed by this program, but may be by the other one.
 */
export const solanaCodec: WithdrawalCodec<SolanaWithdrawal> = {
  decode: decodeSolanaWithdrawal,
  idOf: solanaWithdrawalId,
  payoutOf,
  expirationOf: expiresAt,
  isOf: ({ vault }, depository) => vault === vaultOf(depository)
}

/** The family's withdrawals, for judges. */
export const solanaWithdrawals = withdrawalRules(solanaCodec)
