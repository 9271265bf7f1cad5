/** What an adversary does, as a list of public moves. A move refers to the last quote and the last payment of its list. */
import type { Dice } from "../Dice.ts"
import { slugs } from "../Terms.ts"

type Where = "asked" | "other"

export type Move =
  | {
    readonly do: "ask"
    readonly from: (typeof slugs)[number]
    /** Numbers of currencies. */
    readonly currencies: readonly [0 | 1, 0 | 1]
    /** Smallest units, of what goes in or comes out. */
    readonly amount: number
    readonly exact: "input" | "output"
    readonly recipient: "itself" | "solver" | "depository"
    /** With the sponsor's key. */
    readonly isSponsored: boolean
    /** With a deposit address of this kind. */
    readonly address?: "open" | "strict"
  }
  /** Takes the newest quote of somebody else in place of its own: any, or one with a deposit address. */
  | { readonly do: "borrow"; readonly of?: "address" }
  | {
    readonly do: "pay"
    /** Of what was asked for, in percent; zero is one smallest unit. */
    readonly percent: number
    /** In place of the percentage, smallest units. */
    readonly units?: number
    readonly currency: Where
    readonly chain: Where
    readonly memo: "order" | "upper-case" | "spaced"
    readonly times: number
    readonly by: "itself" | "accomplice"
  }
  /** Sends the last payment of its own account no more, so that a reorg can drop it. */
  | { readonly do: "withhold" }
  /** Sends what was withheld again. */
  | { readonly do: "resume" }
  /** Signs a transfer to itself with the sequence of the last payment, and sends it whenever a node takes it. */
  | { readonly do: "take-back" }
  /** Names the last payment, or one that nobody made, to `POST /transactions/index`. */
  | { readonly do: "index"; readonly chain: Where; readonly of: "payment" | "nothing"; readonly times: number }
  /** Has the quote's deposit address reindexed. */
  | { readonly do: "reindex"; readonly chain: Where; readonly times: number }
  | { readonly do: "wait"; readonly seconds: number }

export type Plan = ReadonlyArray<Move>

export const askOf = (dice: Dice, more: Partial<Extract<Move, { readonly do: "ask" }>> = {}): Move => ({
  do: "ask",
  from: dice.pick(slugs),
  currencies: [dice.pick([0, 1]), dice.pick([0, 1])],
  amount: dice.between(100_000, 40_000_000),
  exact: "input",
  recipient: "itself",
  isSponsored: false,
  ...more
})

export const pay = (more: Partial<Extract<Move, { readonly do: "pay" }>> = {}): Move => ({
  do: "pay",
  percent: 100,
  currency: "asked",
  chain: "asked",
  memo: "order",
  times: 1,
  by: "itself",
  ...more
})

export const index = (more: Partial<Extract<Move, { readonly do: "index" }>> = {}): Move => ({
  do: "index",
  chain: "asked",
  of: "payment",
  times: 1,
  ...more
})

export const wait = (seconds: number): Move => ({ do: "wait", seconds })

/** Any move. */
export const anyMove = (dice: Dice): Move =>
  dice.pick<() => Move>([
    () => askOf(dice, { exact: dice.pick(["input", "output"]), isSponsored: dice.chance(0.3) }),
    () =>
      pay({
        percent: dice.pick([0, 1, 50, 99, 100, 101, 200, 1_000]),
        currency: dice.pick(["asked", "other"]),
        chain: dice.pick(["asked", "other"]),
        times: dice.between(1, 3),
        by: dice.pick(["itself", "itself", "accomplice"])
      }),
    () => ({ do: "withhold" }),
    () => ({ do: "resume" }),
    () => ({ do: "take-back" }),
    () => ({ do: "borrow" }),
    () => index({ chain: dice.pick(["asked", "other"]), of: dice.pick(["payment", "nothing"]) }),
    () => wait(dice.between(1, 40))
  ])()
