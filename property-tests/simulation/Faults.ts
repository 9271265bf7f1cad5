/**
 * What goes wrong in a simulated world. Every fault has a name, a switch and a count of how often it struck. Each run
 * uses some of those that are switched on, drawn by its seed. After `calm` nothing strikes any more.
 */
import type { Dice } from "./Dice.ts"

/** Each with what it does. */
export const faultMeanings = {
  "node-silent": "an endpoint does not answer, for a while",
  "node-slow": "an endpoint takes up to four seconds for each answer",
  "node-error": "an endpoint answers with status 503",
  "node-nonsense": "an endpoint answers something that is no answer",
  "node-stale": "an endpoint stays at an old head",
  "node-patchwork": "behind one endpoint are nodes that are up to two blocks apart",
  "node-wrong-chain": "an endpoint answers for another chain",
  "node-hides": "an endpoint shows no transfers of the solver and of depositors",
  "node-pruned": "an endpoint has only the newest blocks",
  "node-without-blocks": "an endpoint shows transfers, and none of the blocks that have them",
  "node-forked": "an endpoint follows a chain that left the others' some blocks ago",
  "node-inflates": "an endpoint shows deposits of ten times their amount",
  "node-renames": "an endpoint shows deposits for other orders than they are",
  "node-invents": "an endpoint shows deposits that nobody has made, with ids that fit",
  "node-ahead": "an endpoint shows blocks that no other has",
  "node-hasty": "an endpoint calls its newest block final",
  "node-apart": "behind a node of Tron the solidified part is another node's, which is ahead on a fork",
  "node-sequences": "an endpoint names a sequence that the account has not reached",
  "node-refuses-sends": "an endpoint takes no transfers",
  "node-swallows-sends": "an endpoint takes transfers and forgets them",
  "node-limits": "an endpoint answers five calls a second",
  "node-dear": "a node of Bitcoin estimates three times the fee rate of the others",
  "node-forgets": "a node of Bitcoin has none of the transactions that wait for a block",
  "explorer-silent": "the explorer of Bitcoin does not answer, for a while",
  "explorer-error": "the explorer of Bitcoin refuses to answer, for a while",
  "explorer-lags": "the explorer of Bitcoin stays at an old head",
  "explorer-hides": "the explorer of Bitcoin shows no coins",
  "explorer-misnames": "the explorer of Bitcoin says that a coin was spent by a transaction that did not spend it",
  "explorer-dear": "the explorer of Bitcoin estimates ten times the fee rate",
  "last-moment": "a producer on Tron withholds a payment until the last block that may hold it",
  "token-refuses": "USDT on Tron refuses every transfer, for a while",
  "token-hollow": "USDT on Tron moves nothing, and its `transfer` returns false, for a while",
  "energy-rises": "calls on Tron take half as much energy again, for a while",
  "fork-returns": "blocks of Tron that others have replaced come back, in place of these",
  "answer-lost": "an endpoint does what it is asked, and its answer is lost",
  reorg: "blocks that are not final are replaced by others, with the same transfers",
  "reorg-drops": "blocks that are not final are replaced by others, without their transfers",
  "reorg-reorders": "blocks that are not final are replaced by others, with the last transfer first",
  "reorg-deepest": "all blocks that are not final are replaced by others, without their transfers",
  "older-form": "a block of Bitcoin takes transactions that others have replaced while they waited",
  "pool-drops": "transfers that are in no block are forgotten",
  "fee-spike": "transfers cost up to twenty times as much, for a while",
  "chain-halts": "no blocks are made, for a while",
  "blocks-full": "a block has room for one transfer, for a while",
  "chain-censors": "no block takes a transfer of the solver, for a while",
  "finality-late": "no further block becomes final, for a while",
  "chain-clock-apart": "the chain's clock is up to twenty seconds wrong, for a while",
  "store-fails": "a statement fails",
  "store-slow": "a statement takes up to a second",
  "store-down": "all statements fail, for up to twenty seconds",
  "store-full": "all statements that write fail, for up to forty seconds",
  "store-stalls": "no statement is answered, for up to ten seconds",
  "commit-fails": "a COMMIT fails, and nothing is stored",
  "commit-unknown": "a COMMIT works, and its answer is lost",
  kill: "the process is killed before or after a statement or a request, and starts again",
  "process-stops": "the process is told to end, and starts again",
  "process-freezes": "the process stands still for up to a minute, and goes on as if nothing had been",
  "process-overtaken":
    "the process stands still, another one takes its work over, and it wakes and goes on until it notices (model floor)",
  "process-clock-apart": "the clock of a process is up to ten seconds wrong",
  "price-silent": "a price source has no price, for a while",
  "price-stale": "a price source shows an old price, for a while",
  "price-apart": "two price sources contradict each other, for a while",
  "price-jumps": "a price changes by up to three percent",
  "operator-pauses": "an operator pauses a chain, a currency or a route, and resumes it within a minute",
  "operator-retries": "an operator retries a request, whatever its state",
  "backup-restored":
    "the store goes back to a backup of up to a minute ago, and is marked as restored, as operators do it (model floor, without Bitcoin)",
  "treasury-empty": "the solver begins with too little of a currency"
} as const

export type Fault = keyof typeof faultMeanings
const isFault = (name: string): name is Fault => Object.hasOwn(faultMeanings, name)
export const faultNames: ReadonlyArray<Fault> = Object.keys(faultMeanings).filter(isFault)

export interface Faults {
  /** True when the fault is to strike now. `probability`: of one chance to strike, at most. */
  readonly strikes: (fault: Fault, probability: number) => boolean
  /** From now on nothing strikes. */
  readonly calm: () => void
  readonly isCalm: () => boolean
  readonly counts: ReadonlyMap<Fault, number>
}

/** Reads `--faults`: none, or names separated by commas, of which `all` stands for every one. Undefined when a name is unknown. */
export const parseFaults = (text: string): ReadonlySet<Fault> | undefined => {
  if (text === "none") return new Set()
  const names = text.split(",").flatMap((name): ReadonlyArray<string> => name === "all" ? faultNames : [name])
  return names.every(isFault) ? new Set(names) : undefined
}

/** How many of the faults that are switched on are drawn for a run. */
const SHARE = 0.5

export const makeFaults = (dice: Dice, on: ReadonlySet<Fault>): Faults => {
  let calm = false
  const counts = new Map<Fault, number>()
  // A single fault that is named strikes in every run.
  const drawn = new Map(
    faultNames.flatMap((name) => {
      const own = dice.of(name)
      return on.has(name) && (on.size === 1 || own.chance(SHARE)) ? [[name, own] as const] : []
    })
  )
  return {
    strikes: (fault, probability) => {
      const own = drawn.get(fault)
      if (calm || own === undefined || !own.chance(probability)) return false
      counts.set(fault, (counts.get(fault) ?? 0) + 1)
      return true
    },
    calm: () => {
      calm = true
    },
    isCalm: () => calm,
    counts
  }
}
