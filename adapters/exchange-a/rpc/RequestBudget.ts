/**
 * How much one endpoint of exchange A may be asked in a minute, and how much of it by strangers (EXCHANGEA-11): a quote
 * costs them nothing, and whoever asks for many would hold up every deposit and payment.
 */
import { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"

/** Of a minute, what strangers may take together. Watched addresses take as much. */
const STRANGERS = 1 / 4

export class RequestBudget {
  private readonly all: WeightBudget
  private readonly strangers: WeightBudget

  constructor(perMinute: number) {
    this.all = new WeightBudget(perMinute)
    this.strangers = new WeightBudget(perMinute * STRANGERS)
  }

  /** Takes a request's weight, if there is room for it. `now`: milliseconds since any moment. */
  take(weight: number, askedFor: "due" | "strangers", now: number): boolean {
    if (askedFor === "due") return this.all.take(weight, now)
    // Where the whole has no room, a share that was taken is not given back: strangers then wait a little longer.
    return this.strangers.take(weight, now) && this.all.take(weight, now)
  }

  /** Counts what was asked anyway. */
  charge(weight: number, now: number): void {
    this.all.charge(weight, now)
  }
}
