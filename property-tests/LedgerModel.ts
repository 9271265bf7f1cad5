/**
 * A ledger modelled as a few numbers, and random movements that drive the model and a real ledger side by side.
 *
 * The model expresses each movement in terms of the rules (a hold needs the balance, a settlement needs a debt), not in
 * postings. So it cannot share a mistake in how postings are judged.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { LedgerRefused } from "../src/domain/ledger/LedgerRefused.ts"
import {
  accrueAppFee,
  bookReceivable,
  capture,
  claim,
  credit,
  hold,
  paidOut,
  release,
  reopenPayout,
  returnPayout,
  settleReceivable,
  withdraw
} from "../src/domain/ledger/Movements.ts"
import { type LedgerCurrency, LedgerId, type Transaction } from "../src/domain/ledger/Transaction.ts"
import type { Address } from "../src/domain/chain/Address.ts"
import { ethereumAddresses } from "../src/domain/families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../src/domain/chain/ChainId.ts"
import { Hex32 } from "../src/domain/encoding/Hex.ts"
import { RequestId } from "../src/domain/transfer/RequestId.ts"

export const addressOf = (digit: string): Address => Result.getOrThrow(ethereumAddresses.parse(`0x${digit.repeat(40)}`))

export const wallets = ["a", "b"].map(addressOf)
export const recipients = ["c", "d"].map(addressOf)
export const requests = ["1", "2"].map((digit) => RequestId.make(`0x${digit.repeat(64)}`))
export const payouts = ["3", "4"].map((digit) => Hex32.make(`0x${digit.repeat(64)}`))
export const currency: LedgerCurrency = { chainId: ChainId.make(8453), address: ethereumAddresses.nativeCurrency }

const operations = [
  "credit",
  "hold",
  "capture",
  "release",
  "withdraw",
  "receivable",
  "settle",
  "accrue",
  "claim",
  "paid",
  "returned",
  "reopened"
] as const

/**
 * A movement to try. `number` determines its id, from so few that ids collide. `off` sometimes makes a hold's size
 * wrong.
 */
export interface Attempt {
  readonly operation: (typeof operations)[number]
  readonly number: number
  readonly who: number
  readonly request: number
  readonly units: bigint
  readonly off: bigint
}

export const attempts: fc.Arbitrary<Attempt> = fc.record({
  operation: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom("credit" as const, "hold" as const, "capture" as const, "release" as const)
    },
    { weight: 2, arbitrary: fc.constantFrom(...operations) }
  ),
  number: fc.nat({ max: 30 }),
  who: fc.nat({ max: 1 }),
  request: fc.nat({ max: 1 }),
  units: fc.oneof(fc.bigInt({ min: 0n, max: 30n }), fc.bigInt({ min: -2n, max: 2n ** 70n })),
  off: fc.oneof({ weight: 8, arbitrary: fc.constant(0n) }, { weight: 1, arbitrary: fc.constantFrom(-1n, 1n) })
})

/** Balances by name ("wallet a", "hold a 1", …), and what was received less what was paid out. */
export class Model {
  readonly balances = new Map<string, bigint>()
  readonly known = new Map<string, string>()
  get(name: string): bigint {
    return this.balances.get(name) ?? 0n
  }
  add(name: string, units: bigint): void {
    this.balances.set(name, this.get(name) + units)
  }
}

export interface Step {
  readonly transaction: Result.Result<Transaction, LedgerRefused>
  /** Distinguishes movements with the same id. */
  readonly content: string
  /** True when the rules allow it now. */
  readonly allowed: boolean
  /** Changes the model as the movement should change the ledger. */
  readonly apply: () => void
}

/** The movement of an attempt, given the model's current state. */
export const stepOf = (model: Model, attempt: Attempt): Step => {
  const { operation, units, who } = attempt
  const wallet = wallets[who] ?? addressOf("a")
  const recipient = recipients[attempt.request] ?? addressOf("c")
  const request = requests[attempt.request] ?? RequestId.make(`0x${"1".repeat(64)}`)
  const [w, h, p] = [`wallet ${who}`, `hold ${who} ${attempt.request}`, `payable ${attempt.request}`]
  const payout = payouts[attempt.request] ?? Hex32.make(`0x${"3".repeat(64)}`)
  const [out, claimed] = [`payout ${who} ${attempt.request}`, `claimed ${attempt.request}`]
  const [owed, pending, debt] = [`owed ${who}`, `pending ${attempt.request}`, `debt ${who} ${attempt.request}`]
  const id = LedgerId.make(`${operation}:${attempt.number}`)
  const held = model.get(h) + attempt.off
  const of = { id, currency, wallet, recipient, request, payout, units, held, shares: [{ recipient, units }] }
  const change = (...changes: ReadonlyArray<readonly [string, bigint]>) => () =>
    changes.forEach(([name, by]) => model.add(name, by))
  const positive = units > 0n
  const whole = attempt.off === 0n && held > 0n
  const content = [operation, who, attempt.request, units].join()
  switch (operation) {
    case "credit":
      return {
        transaction: credit(of),
        content: [who, units].join(),
        allowed: positive,
        apply: change([w, units], ["received", units])
      }
    case "hold":
      return {
        transaction: hold({ ...of, held: units }),
        content,
        allowed: positive && model.get(w) >= units,
        apply: change([w, -units], [h, units])
      }
    case "capture":
      return {
        transaction: capture({ ...of, captured: units }),
        content: `${content},${held}`,
        allowed: whole && units >= 0n && units <= held,
        apply: change([h, -held], ["revenue", units], [w, held - units])
      }
    case "release":
      return {
        transaction: release(of),
        content: [who, attempt.request, held].join(),
        allowed: whole,
        apply: change([h, -held], [w, held])
      }
    case "withdraw":
      return {
        transaction: withdraw(of),
        content,
        allowed: positive && model.get(w) >= units,
        apply: change([w, -units], [out, units])
      }
    case "paid": {
      const all = model.get(out) + attempt.off
      return {
        transaction: paidOut({ ...of, units: all }),
        content: [who, attempt.request, all].join(),
        allowed: attempt.off === 0n && all > 0n,
        apply: change([out, -all], ["received", -all])
      }
    }
    case "reopened":
      return {
        transaction: reopenPayout(of),
        content,
        allowed: positive,
        apply: change([out, units], ["received", units])
      }
    case "returned": {
      const all = model.get(claimed) + attempt.off
      return {
        transaction: returnPayout({ ...of, kind: "claim", wallet: recipient, units: all }),
        content: [attempt.request, all].join(),
        allowed: attempt.off === 0n && all > 0n,
        apply: change([claimed, -all], [p, all])
      }
    }
    case "receivable":
      return {
        transaction: bookReceivable(of),
        content,
        allowed: positive,
        apply: change([owed, units], [pending, units], [debt, units])
      }
    case "settle":
      return {
        transaction: settleReceivable(of),
        content,
        allowed: positive && model.get(w) >= units && model.get(debt) >= units,
        apply: change([w, -units], [p, units], [owed, -units], [pending, -units], [debt, -units])
      }
    case "accrue":
      return {
        transaction: accrueAppFee(of),
        content: [attempt.request, units].join(),
        allowed: positive,
        apply: change([p, units], ["received", units])
      }
    case "claim":
      return {
        transaction: claim({ ...of, wallet: recipient }),
        content: [attempt.request, units].join(),
        allowed: positive && model.get(p) >= units,
        apply: change([p, -units], [claimed, units])
      }
  }
}
