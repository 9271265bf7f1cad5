/** What an adversary does with deposit addresses, its own and others': lists of public moves, as all strategies. */
import type { Dice } from "../Dice.ts"
import { askOf, pay, wait } from "./Moves.ts"
import type { Move, Plan } from "./Moves.ts"

/** Each with what it does. */
export const addressStrategyMeanings = {
  "sweep-and-reindex": "pays its deposit address, and has it reindexed again and again while it is swept",
  "reindex-flood": "has others' addresses reindexed five hundred times",
  "address-dust": "pays dust to its own and to others' addresses, twenty times",
  "strict-again": "pays a strict address twice at once, and again when its order is filled",
  "address-take-back": "pays an address, and takes the payment back whenever a reorg lets it",
  "address-comes-back": "lets a reorg drop its payment to an address, pays less there, and brings the first one back",
  "others-addresses": "pays others' addresses, half and whole",
  "around-minimum": "pays an address just below and just above what is worth its sweep",
  "wrong-at-address": "pays an address in the other currency and on the other chain, and has both reindexed",
  "drain-address": "has a sponsor pay for an address, and pays there again and again"
} as const

export type AddressStrategy = keyof typeof addressStrategyMeanings
const isAddressStrategy = (name: string): name is AddressStrategy => Object.hasOwn(addressStrategyMeanings, name)
export const addressStrategyNames: ReadonlyArray<AddressStrategy> = Object.keys(addressStrategyMeanings).filter(
  isAddressStrategy
)

const reindex = (times: number, more: Partial<Extract<Move, { readonly do: "reindex" }>> = {}): Move => ({
  do: "reindex",
  chain: "asked",
  times,
  ...more
})

const open = (dice: Dice, more: Parameters<typeof askOf>[1] = {}): Move => askOf(dice, { address: "open", ...more })
const borrow: Move = { do: "borrow", of: "address" }

const plans: Readonly<Record<AddressStrategy, (dice: Dice) => Plan>> = {
  "sweep-and-reindex": (dice) => [
    open(dice),
    pay(),
    wait(dice.between(5, 15)),
    ...Array.from({ length: dice.between(3, 8) }, () => [reindex(20), wait(dice.between(5, 61))]).flat(),
    pay(),
    wait(dice.between(5, 15)),
    reindex(20)
  ],
  "reindex-flood": (dice) => [wait(dice.between(20, 60)), borrow, reindex(250), wait(61), reindex(250)],
  "address-dust": (dice) => [
    open(dice),
    pay({ units: dice.between(1, 999), times: 10 }),
    borrow,
    pay({ units: dice.between(1, 999), times: 10 }),
    reindex(1)
  ],
  "strict-again": (dice) => [
    askOf(dice, { address: "strict" }),
    pay({ times: 2 }),
    wait(dice.between(20, 90)),
    pay(),
    pay({ percent: 50, by: "accomplice" })
  ],
  "address-take-back": (dice) => [open(dice), pay(), wait(dice.between(10, 40)), { do: "take-back" }],
  "address-comes-back": (dice) => [
    open(dice, { amount: dice.between(100_000, 20_000_000) }),
    pay(),
    wait(dice.between(8, 20)),
    { do: "withhold" },
    wait(dice.between(60, 120)),
    pay({ percent: dice.between(1, 50), by: "accomplice" }),
    wait(dice.between(30, 90)),
    { do: "resume" }
  ],
  "others-addresses": (dice) => [
    wait(dice.between(10, 40)),
    borrow,
    pay({ percent: 50 }),
    wait(dice.between(10, 40)),
    borrow,
    pay({ by: "accomplice" }),
    reindex(3)
  ],
  "around-minimum": (dice) => [
    open(dice),
    ...[999, 1_000, 1_001, 1_999, 2_000, 2_001, 20_000].flatMap((units) => [
      pay({ units }),
      wait(dice.between(1, 30))
    ])
  ],
  "wrong-at-address": (dice) => [
    askOf(dice, { address: dice.pick(["open", "strict"]) }),
    pay({ currency: "other" }),
    pay({ chain: "other" }),
    wait(dice.between(20, 40)),
    reindex(2),
    reindex(2, { chain: "other" }),
    pay(),
    wait(61),
    reindex(2)
  ],
  "drain-address": (dice) => [
    open(dice, { isSponsored: true, amount: dice.between(100_000, 5_000_000) }),
    pay(),
    ...Array.from({ length: dice.between(4, 8) }, () => [
      wait(dice.between(1, 30)),
      pay({ percent: dice.pick([99, 100, 101, 50]) })
    ]).flat()
  ]
}

/** How many of them an adversary combines at most. */
const COMBINED = 2

/** The strategies of a run, as `drawPlans` draws others. */
export const drawAddressPlans = (on: ReadonlySet<string>, dice: Dice) => {
  const [first, ...rest] = [...on].filter(isAddressStrategy)
  if (first === undefined) return []
  const drawn = new Set(
    Array.from({ length: Math.min(rest.length + 1, dice.between(1, COMBINED)) }, () => dice.pick([first, ...rest]))
  )
  return [...drawn].map((name) => ({ name, plan: plans[name](dice.of(name)) }))
}
