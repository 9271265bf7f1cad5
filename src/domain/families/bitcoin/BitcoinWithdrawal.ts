/**
 * Withdrawals of bitcoin-vm: a PSBT (BITCOIN-4).
 *
 * The id is the sha256 of the hex text with "0x", not of the bytes. Whether a withdrawal was executed or has expired
 * depends on the transaction that spends its inputs, and on whether that transaction has the same outputs.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { bitcoinAddresses } from "./BitcoinAddresses.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import { addressOfScript } from "./BitcoinScript.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "../../encoding/Hex.ts"
import {
  asInvalidWithdrawal,
  type InvalidWithdrawal,
  invalidWithdrawal
} from "../../hub/withdrawal/InvalidWithdrawal.ts"
import type { Payout } from "../../hub/withdrawal/Payout.ts"
import { neverExpires, type WithdrawalCodec, withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"
import { type Psbt, readPsbt, writePsbt } from "./Psbt.ts"

const family = "bitcoin-vm"
const named = asInvalidWithdrawal(family)

/** Reads a PSBT of version 0 (BITCOIN-4). */
export const decodeBitcoinWithdrawal = (encoded: Hex): Result.Result<Psbt, InvalidWithdrawal> => {
  const psbt = readPsbt(hexToBytes(encoded))
  return psbt === undefined ? invalidWithdrawal(family, "no PSBT of version 0") : Result.succeed(psbt)
}

/** The same bytes that were decoded. */
export const encodeBitcoinWithdrawal = (psbt: Psbt): Hex => hexFromBytes(writePsbt(psbt))

/** sha256 of the text `0x` + hex (BITCOIN-4). */
export const bitcoinWithdrawalId = (psbt: Psbt): Hex32 =>
  hex32FromDigest(sha256(utf8ToBytes(encodeBitcoinWithdrawal(psbt))))

/**
 * The amount paid to the one address besides the depository; outputs to the depository are change. Outputs that have a
 * value but no address, or pay several other addresses, are an error.
 */
const payoutOf = (
  psbt: Psbt,
  network: ChainNetwork,
  depository: string
): Result.Result<Payout, InvalidWithdrawal> =>
  Result.gen(function*() {
    const codec = bitcoinAddresses(network)
    const change = yield* Result.mapError(codec.parse(depository), named)
    let payout: Payout | undefined
    for (const { amount, script } of psbt.transaction.outputs) {
      if (amount === 0n) continue
      const recipient = yield* Result.mapError(addressOfScript(script, network), named)
      if (recipient === change) continue
      if (payout !== undefined && payout.recipient !== recipient) {
        return yield* invalidWithdrawal(family, "paid to several addresses")
      }
      payout = { currency: codec.nativeCurrency, recipient, amount: (payout?.amount ?? 0n) + amount }
    }
    return payout ?? (yield* invalidWithdrawal(family, "nothing is paid"))
  })

/** A withdrawal never expires by age: its coins can be spent as long as they exist. */
export const bitcoinCodec: WithdrawalCodec<Psbt> = {
  decode: decodeBitcoinWithdrawal,
  idOf: (psbt) => Result.succeed(bitcoinWithdrawalId(psbt)),
  payoutOf: (psbt, { depository, network }) => payoutOf(psbt, network, depository),
  expirationOf: neverExpires
}

/** The family's withdrawals, for judges. */
export const bitcoinWithdrawals = withdrawalRules(bitcoinCodec)
