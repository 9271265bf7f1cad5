/**
 * How much one endpoint of exchange B may be asked in a minute (EXCHANGEB-8), as the exchange documents it: a standard
 * account so many requests, and of a heavy path no more than a premium account; a premium account a sum of weights. Signed
 * transfers have a limit of their own.
 */
import { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"

/** What a path weighs. */
export const weights = { usual: 300, nextNonce: 6, transferFee: 500 } as const
export type Weighed = keyof typeof weights

/** A premium account's sum, and the requests of a standard one. */
const [PREMIUM, STANDARD] = [24_000, 60]

/** As operators configure it. */
export type Allowance =
  | { readonly _tag: "Requests"; readonly perMinute: number }
  | { readonly _tag: "Weight"; readonly perMinute: number }

/** Of a minute, what strangers may take together. */
const STRANGERS = 1 / 4

/** After the exchange, or its firewall, has refused to answer so many questions. Milliseconds. */
const REST_MS = 60_000

/** What an answer of the clock serves for, in requests: half of the budget is then for scans, which follow the clock. */
const CLOCK = 4

const MINUTE_MS = 60_000

export class RequestBudget {
  /** How long one reading of the clock serves, milliseconds. */
  readonly clockMs: number
  private readonly all: WeightBudget
  private readonly strangers: WeightBudget
  private readonly allowance: Allowance
  private restsUntil = -Infinity

  constructor(allowance: Allowance) {
    this.allowance = allowance
    this.all = new WeightBudget(allowance.perMinute)
    this.strangers = new WeightBudget(allowance.perMinute * STRANGERS)
    this.clockMs = CLOCK * MINUTE_MS * this.costOf("usual") / allowance.perMinute
  }

  /** Takes a request's cost, if there is room for it. `now`: milliseconds since any moment. */
  take(path: Weighed, askedFor: "due" | "strangers", now: number): boolean {
    if (now < this.restsUntil) return false
    const cost = this.costOf(path)
    if (askedFor === "due") return this.all.take(cost, now)
    // Where the whole has no room, a share that was taken is not given back: strangers then wait a little longer.
    return this.strangers.take(cost, now) && this.all.take(cost, now)
  }

  /** The endpoint has refused to answer more. Asking on would prolong that. */
  rest(now: number): void {
    this.restsUntil = now + REST_MS
  }

  private costOf(path: Weighed): number {
    return this.allowance._tag === "Weight" ? weights[path] : Math.max(1, weights[path] * STANDARD / PREMIUM)
  }
}
