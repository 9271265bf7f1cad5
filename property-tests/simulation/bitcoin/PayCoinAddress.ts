/**
 * What users do with a deposit address on Bitcoin: pay it as asked, or in one of the ways in which people and exchanges
 * do it otherwise. One transaction may pay it by many outputs, and nothing there is too small for somebody to send.
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { Dice } from "../Dice.ts"
import { paidAsUsual } from "../flows/addresses/PayAddress.ts"
import { LEAST_OUTPUT, NETWORK } from "./Terms.ts"

/** The ways to pay a deposit address on Bitcoin. */
export const coinAddressManners = [
  "exact",
  "too-little",
  "too-much",
  "twice",
  "late",
  "never",
  "dust",
  "by-another",
  "at-once",
  "again-and-again",
  "several-outputs",
  "many-outputs"
] as const
export type CoinAddressManner = (typeof coinAddressManners)[number]

export interface PaidInCoins {
  /** A user's number. */
  readonly by: number
  /** Satoshi of each output. */
  readonly amounts: ReadonlyArray<bigint>
  /** Milliseconds of waiting before it. */
  readonly after: number
}

/** More than one sweep takes. */
const MANY = 110

/** Not worth a sweep, by itself. */
const dust = (dice: Dice): bigint => LEAST_OUTPUT + BigInt(dice.between(0, 600))

/** `one`: what was asked for, in one output. */
export const paidToCoinAddress = (
  manner: CoinAddressManner,
  one: Pick<PaidInCoins, "by" | "after"> & { readonly amount: bigint },
  dice: Dice
): ReadonlyArray<PaidInCoins> => {
  const { after, amount, by } = one
  switch (manner) {
    case "several-outputs":
      return [{ by, after, amounts: [amount / 2n, amount / 4n, amount - amount / 2n - amount / 4n] }]
    case "many-outputs":
      return [{ by, after, amounts: [amount, ...Array.from({ length: MANY }, () => dust(dice))] }]
    default:
      return paidAsUsual(manner, one, dice, dust).map((paid) => ({
        by: paid.by,
        after: paid.after,
        amounts: [paid.amount]
      }))
  }
}

/** What a payment of an address is made of: nodes relay no output below the least. */
export const outputsTo = (address: Address, amounts: ReadonlyArray<bigint>): ReadonlyArray<BtcOutput> => {
  const script = Result.getOrThrow(scriptOfAddress(address, NETWORK))
  return amounts.map((amount) => ({ script, amount: amount < LEAST_OUTPUT ? LEAST_OUTPUT : amount }))
}
