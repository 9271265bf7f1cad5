/** The strategies of an adversary on ledgers: each makes a list of moves. */
import { coinStrategyNames } from "../bitcoin/CoinStrategies.ts"
import type { CoinStrategy } from "../bitcoin/CoinStrategies.ts"
import { coinAddressStrategyNames } from "../bitcoin/CoinAddressStrategies.ts"
import type { CoinAddressStrategy } from "../bitcoin/CoinAddressStrategies.ts"
import type { Dice } from "../Dice.ts"
import { addressStrategyNames } from "./AddressStrategies.ts"
import { tronAddressStrategyNames } from "../tron/TronAddressStrategies.ts"
import type { TronAddressStrategy } from "../tron/TronAddressStrategies.ts"
import { tronStrategyNames } from "../tron/TronStrategies.ts"
import type { TronStrategy } from "../tron/TronStrategies.ts"
import type { AddressStrategy } from "./AddressStrategies.ts"
import { anyMove, askOf, index, pay, wait } from "./Moves.ts"
import type { Plan } from "./Moves.ts"

/** Each with what it does. */
export const strategyMeanings = {
  "twice-at-once": "pays one quote twice at once",
  "in-parts": "pays one quote in two halves",
  "just-late": "pays when the price has just expired",
  "last-moment": "keeps a quote until its price is about to expire, and pays then",
  "dust-first": "pays dust, and then the quote",
  "dust-flood": "pays dust twenty times, for others' quotes too",
  "wrong-currency": "pays with the other currency of the chain",
  "wrong-chain": "pays on the destination",
  "too-much": "pays ten times what was asked",
  unfunded: "pays more than it has",
  "index-early": "names its payment before any block has it, on both chains, and one that nobody made",
  "drain-sponsor": "has a sponsor pay for many small transfers to itself, at once",
  "quote-and-abandon": "asks for sponsored quotes, and pays nothing, dust, or takes the payment back",
  "take-back": "pays, and takes the payment back whenever a reorg lets it",
  "comes-back":
    "pays, lets a reorg drop the payment, has an accomplice pay again, and brings the first payment into a block",
  "index-and-take-back": "pays, names the payment, and takes it back",
  "to-solver": "has its fill sent to the solver's own account",
  "to-depository": "has its fill sent to the depository of the destination",
  "tiny-output": "asks for one smallest unit of output",
  memos: "spells the order's id in other ways",
  "others-orders": "pays half of others' quotes, before they do",
  anything: "makes moves at random"
} as const

export type Strategy = keyof typeof strategyMeanings
const isStrategy = (name: string): name is Strategy => Object.hasOwn(strategyMeanings, name)
export const strategyNames: ReadonlyArray<Strategy> = Object.keys(strategyMeanings).filter(isStrategy)

const plans: Readonly<Record<Strategy, (dice: Dice) => Plan>> = {
  "twice-at-once": (dice) => [askOf(dice), pay({ times: 2 })],
  "in-parts": (dice) => [askOf(dice), pay({ percent: 50, times: 2 })],
  "just-late": (dice) => [askOf(dice), wait(dice.between(28, 45)), pay()],
  "last-moment": (dice) => [askOf(dice), wait(dice.between(10, 20)), pay()],
  "dust-first": (dice) => [askOf(dice), pay({ percent: 0 }), pay()],
  "dust-flood": (
    dice
  ) => [askOf(dice), pay({ percent: 0, times: 10 }), { do: "borrow" }, pay({ percent: 0, times: 10 })],
  "wrong-currency": (dice) => [askOf(dice), pay({ currency: "other" })],
  "wrong-chain": (dice) => [askOf(dice), pay({ chain: "other" })],
  "too-much": (dice) => [askOf(dice), pay({ percent: 1_000 })],
  unfunded: (dice) => [askOf(dice), pay({ percent: 1_000_000 })],
  "index-early": (dice) => [
    askOf(dice),
    pay(),
    index({ times: 2 }),
    index({ chain: "other" }),
    index({ of: "nothing" }),
    wait(15),
    index({ times: 2 })
  ],
  "drain-sponsor": (dice) =>
    Array.from({ length: dice.between(4, 8) }, () => [
      askOf(dice, { isSponsored: true, amount: dice.between(100_000, 2_000_000) }),
      pay()
    ]).flat(),
  "quote-and-abandon": (dice) =>
    Array.from({ length: dice.between(2, 5) }, () => [
      askOf(dice, { isSponsored: true }),
      ...dice.pick<() => Plan>([
        () => [],
        () => [pay({ percent: 0 })],
        () => [pay(), wait(dice.between(1, 30)), { do: "take-back" }]
      ])()
    ]).flat(),
  "take-back": (dice) => [askOf(dice), pay(), wait(dice.between(10, 40)), { do: "take-back" }],
  "index-and-take-back": (dice) => [askOf(dice), pay(), wait(dice.between(1, 15)), index(), { do: "take-back" }],
  "comes-back": (dice) => [
    askOf(dice, { amount: dice.between(100_000, 20_000_000) }),
    pay(),
    wait(dice.between(8, 20)),
    { do: "withhold" },
    wait(dice.between(90, 150)),
    pay({ by: "accomplice" }),
    wait(dice.between(60, 120)),
    { do: "resume" }
  ],
  "to-solver": (dice) => [askOf(dice, { recipient: "solver" }), pay()],
  "to-depository": (dice) => [askOf(dice, { recipient: "depository" }), pay()],
  "tiny-output": (dice) => [askOf(dice, { exact: "output", amount: 1 }), pay({ times: 2 })],
  memos: (dice) => [askOf(dice), pay({ memo: "upper-case" }), pay({ memo: "spaced" })],
  "others-orders": (dice) => [
    wait(dice.between(5, 30)),
    { do: "borrow" },
    pay({ percent: 50 }),
    wait(20),
    { do: "borrow" },
    pay({ percent: 50 })
  ],
  anything: (dice) => [askOf(dice), ...Array.from({ length: dice.between(3, 10) }, () => anyMove(dice))]
}

/** A strategy on ledgers, one at deposit addresses, or one on another chain. */
export type AnyStrategy =
  | Strategy
  | AddressStrategy
  | CoinStrategy
  | CoinAddressStrategy
  | TronStrategy
  | TronAddressStrategy
export const anyStrategyNames: ReadonlyArray<AnyStrategy> = [
  ...strategyNames,
  ...addressStrategyNames,
  ...coinStrategyNames,
  ...coinAddressStrategyNames,
  ...tronStrategyNames,
  ...tronAddressStrategyNames
]

/** Reads `--adversary`: all, none, or names separated by commas. Undefined when a name is unknown. */
export const parseStrategies = (text: string): ReadonlySet<AnyStrategy> | undefined => {
  if (text === "none") return new Set()
  if (text === "all") return new Set(anyStrategyNames)
  const names = text.split(",").map((name) => anyStrategyNames.find((each) => each === name))
  const known = names.filter((name) => name !== undefined)
  return known.length === names.length ? new Set(known) : undefined
}

/** How many strategies an adversary combines at most. */
const COMBINED = 3

/**
 * The strategies of a run on ledgers: of those that are switched on, some that its seed draws. One that is named alone is played.
 */
export const drawPlans = (on: ReadonlySet<AnyStrategy>, dice: Dice) => {
  const names = [...on].filter(isStrategy)
  const [first, ...rest] = names
  if (first === undefined) return []
  const many = Math.min(names.length, dice.between(1, COMBINED))
  const drawn = new Set(Array.from({ length: many }, () => dice.pick([first, ...rest])))
  return [...drawn].map((name) => ({ name, plan: plans[name](dice.of(name)) }))
}
