/**
 * The calldata that credits an app balance (BALANCE-1): `transfer(solver, amount)`, 68 bytes, then `012345abcdef`, the
 * 20 bytes of the credited account, `012345abcdef`: exactly 100 bytes.
 *
 * Guarantee: `decodeCreditCalldata` is total and accepts any case. What it accepts has one canonical (lower case)
 * spelling, the one of `encodeCreditCalldata`. It does not decide a credit: the logged amount counts, not the called
 * one.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { Hex } from "../encoding/Hex.ts"

/** The account that is credited: a named wallet, or the sender of the transaction. */
export type CreditedAccount =
  /** Twenty zero bytes on the wire: the sender of the transaction. */
  | { readonly _tag: "Sender" }
  | { readonly _tag: "Wallet"; readonly wallet: Address }

/** A credit's decoded calldata: the amount in the token's smallest units, and the credited account. */
export interface CreditCall {
  readonly solver: Address
  /** Smallest units of the token, below 2^256. */
  readonly amount: bigint
  readonly credited: CreditedAccount
}

/** Not the calldata of a credit, or a call that cannot be encoded. */
export class InvalidCreditCall extends Data.TaggedError("InvalidCreditCall")<{
  readonly reason: "wrong-length" | "not-a-transfer" | "no-marker" | "amount-out-of-range" | "not-an-account"
}> {}

const selector = "a9059cbb"
const marker = "012345abcdef"
const zeroAccount = "0".repeat(40)
const AMOUNTS = 2n ** 256n

const bytes100 = /^0x[0-9a-fA-F]{200}$/
const transferCall = new RegExp(`^0x${selector}0{24}([0-9a-f]{40})([0-9a-f]{64})`)
const markedAccount = new RegExp(`${marker}([0-9a-f]{40})${marker}$`)

const invalid = (reason: InvalidCreditCall["reason"]) => Result.fail(new InvalidCreditCall({ reason }))

const account = (digits: string): Result.Result<Address, InvalidCreditCall> =>
  Result.mapError(protocolAccounts.parse(`0x${digits}`), () => new InvalidCreditCall({ reason: "not-a-transfer" }))

const digitsOf = (address: Address): Result.Result<string, InvalidCreditCall> =>
  Result.mapBoth(protocolAccounts.parse(address), {
    onSuccess: (account) => account.slice(2),
    onFailure: () => new InvalidCreditCall({ reason: "not-an-account" })
  })

/** The calldata of a credit. A wallet of twenty zero bytes means the sender. */
export const encodeCreditCalldata = ({ amount, credited, solver }: CreditCall): Result.Result<Hex, InvalidCreditCall> =>
  Result.gen(function*() {
    if (amount < 0n || amount >= AMOUNTS) return yield* invalid("amount-out-of-range")
    const receiver = (yield* digitsOf(solver)).padStart(64, "0")
    const wallet = credited._tag === "Sender" ? zeroAccount : yield* digitsOf(credited.wallet)
    return Hex.make(`0x${selector}${receiver}${amount.toString(16).padStart(64, "0")}${marker}${wallet}${marker}`)
  })

/** Decodes calldata in any case, or says why it is not a credit. */
export const decodeCreditCalldata = (data: string): Result.Result<CreditCall, InvalidCreditCall> =>
  Result.gen(function*() {
    if (!bytes100.test(data)) return yield* invalid("wrong-length")
    const text = data.toLowerCase()
    const call = transferCall.exec(text)
    if (call === null) return yield* invalid("not-a-transfer")
    const marked = markedAccount.exec(text)
    if (marked === null) return yield* invalid("no-marker")
    const digits = marked[1] ?? zeroAccount
    const credited: CreditedAccount = digits === zeroAccount
      ? { _tag: "Sender" }
      : { _tag: "Wallet", wallet: yield* account(digits) }
    return { solver: yield* account(call[1] ?? ""), amount: BigInt(`0x${call[2] ?? "0"}`), credited }
  })

/** True when calldata contains the marker at a whole byte. Then a credit may have been intended. */
export const mentionsCredit = (data: string): boolean => {
  const text = data.toLowerCase()
  for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1)) {
    if (at % 2 === 0 && text.startsWith(marker, at + marker.length + zeroAccount.length)) return true
  }
  return false
}
