/**
 * The call data that credits an app balance (BALANCE-1): `transfer(solver, amount)`, 68 bytes, then
 * `012345abcdef`, the 20 bytes of the credited account, `012345abcdef`: exactly 100 bytes.
 *
 * Guarantee: `decodeCreditCalldata` is total, accepts any case, and what it accepts has one canonical (lower case)
 * spelling, that of `encodeCreditCalldata`. Not for deciding a credit: the amount counts as logged, not as called.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { Hex } from "../encoding/Hex.ts"

/** Who a credit is for: a named wallet, or the sender of the transaction. */
export type CreditedAccount =
  /** Twenty zero bytes on the wire: whoever sent the transaction. */
  | { readonly _tag: "Sender" }
  | { readonly _tag: "Wallet"; readonly wallet: Address }

/** What a credit's calldata says: the amount, in the token's smallest units, and who is credited. */
export interface CreditCall {
  readonly solver: Address
  /** Smallest units of the token, below 2^256. */
  readonly amount: bigint
  readonly credited: CreditedAccount
}

/** Not a credit's call data, or a call that cannot be written as one. */
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
  Result.mapError(ethereumAddresses.parse(`0x${digits}`), () => new InvalidCreditCall({ reason: "not-a-transfer" }))

const digitsOf = (address: Address): Result.Result<string, InvalidCreditCall> =>
  Result.mapBoth(ethereumAddresses.parse(address), {
    onSuccess: (account) => account.slice(2),
    onFailure: () => new InvalidCreditCall({ reason: "not-an-account" })
  })

/** The call data of a credit; a wallet of twenty zero bytes means the sender. */
export const encodeCreditCalldata = ({ amount, credited, solver }: CreditCall): Result.Result<Hex, InvalidCreditCall> =>
  Result.gen(function*() {
    if (amount < 0n || amount >= AMOUNTS) return yield* invalid("amount-out-of-range")
    const receiver = (yield* digitsOf(solver)).padStart(64, "0")
    const wallet = credited._tag === "Sender" ? zeroAccount : yield* digitsOf(credited.wallet)
    return Hex.make(`0x${selector}${receiver}${amount.toString(16).padStart(64, "0")}${marker}${wallet}${marker}`)
  })

/** What call data in any case says, or why it is no credit. */
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

/** True when the marker stands anywhere in call data, at a whole byte: somebody may have meant a credit. */
export const mentionsCredit = (data: string): boolean => {
  const text = data.toLowerCase()
  for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1)) {
    if (at % 2 === 0 && text.startsWith(marker, at + marker.length + zeroAccount.length)) return true
  }
  return false
}
