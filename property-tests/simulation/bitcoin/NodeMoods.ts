/**
 * What is wrong with a Bitcoin node, and what it has then. A node that lies does so about the chain as it sees it: its
 * answers are those of an honest node of another chain. It cannot lie about the bytes behind an id.
 */
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { noteOfOrder, orderIdIn } from "../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { START } from "../Terms.ts"
import type { Fault } from "../Faults.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { genesis, headOf, nextBlock, reorganise, spentBy } from "./CoinChain.ts"
import type { ChainState, Kept, Mining } from "./CoinChain.ts"
import { unsigned } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { accounts, depository, FINAL_AFTER, funder, solver } from "./Terms.ts"

export const moods = [
  "node-silent",
  "node-slow",
  "node-error",
  "node-nonsense",
  "node-stale",
  "node-wrong-chain",
  "node-hides",
  "node-pruned",
  "node-without-blocks",
  "node-patchwork",
  "node-forked",
  "node-inflates",
  "node-renames",
  "node-invents",
  "node-ahead",
  "node-dear",
  "node-forgets",
  "node-refuses-sends",
  "node-swallows-sends",
  "node-limits"
] as const satisfies ReadonlyArray<Fault>
export type Mood = (typeof moods)[number]

/** A node that is not well. */
export interface Unwell {
  readonly chain: BitcoinChain
  /** How many blocks it is behind, or apart from the others. */
  readonly behind: number
  /** How many calls it has answered within a second. */
  readonly calls: number
  /** The chain that a forked node follows. */
  fork: ChainState | undefined
}

const empty: Mining = { takes: () => false, room: 0, olderForms: false }

const isDeposit = ({ outputs }: CoinTransaction): boolean =>
  outputs.some(({ script }) => sameBytes(script, depository.script))

/** The chain with other transactions in its blocks. `change`: what is there in place of one. */
const misreported = (
  state: ChainState,
  change: (transaction: CoinTransaction) => ReadonlyArray<CoinTransaction>
): ChainState => {
  const known = new Map(state.known)
  const places = new Map<string, number>()
  const changed = (kept: Kept): Kept => {
    const transactions = kept.transactions.flatMap((each) => isCoinbase(each) ? [each] : change(each))
    for (const each of transactions) {
      known.set(each.id, each)
      places.set(each.id, kept.height)
    }
    return { ...kept, transactions, places }
  }
  const [first, ...rest] = state.blocks
  first.transactions.forEach(({ id }) => places.set(id, 0))
  return { ...state, blocks: [first, ...rest.map(changed)], known }
}

const tenfold = (transaction: CoinTransaction): CoinTransaction =>
  unsigned(
    transaction.inputs,
    transaction.outputs.map((output) =>
      sameBytes(output.script, depository.script) ? { ...output, amount: output.amount * 10n } : output
    )
  )

/** A deposit that names an order of nobody. */
const renamed = (transaction: CoinTransaction): CoinTransaction =>
  unsigned(
    transaction.inputs,
    transaction.outputs.map((output) => {
      const id = orderIdIn(output.script)
      return id === undefined
        ? output
        : { ...output, script: noteOfOrder(Hex32.make(`0x${id.slice(34)}${id.slice(2, 34)}`)) }
    })
  )

/** Whose money is nobody's that everybody knows: a deposit address's. */
const isOfAddress = ({ script }: Pick<BtcOutput, "script">): boolean => !known.has(hexDigits(script))

const known: ReadonlySet<string> = new Set(
  [solver, depository, funder, ...accounts].map(({ script }) => hexDigits(script))
)

/** By the node's word, what lies at deposit addresses is ten times as much. */
const tenfoldAtAddresses = (state: ChainState): ChainState => {
  const [first, ...rest] = state.blocks
  const last = rest.at(-1)
  if (last === undefined || ![...last.coins.values()].some(isOfAddress)) return state
  const coins = new Map(
    [...last.coins].map(([name, coin]) => [name, isOfAddress(coin) ? { ...coin, amount: coin.amount * 10n } : coin])
  )
  return { ...state, blocks: [first, ...rest.slice(0, -1), { ...last, coins }] }
}

const isOfSolver = (state: ChainState, transaction: CoinTransaction): boolean =>
  (spentBy(state, transaction) ?? []).some(({ script }) => sameBytes(script, solver.script))

/** Blocks that no other node has. */
const ahead = (state: ChainState, blocks: number): ChainState => {
  let further: ChainState = { ...state, forks: state.forks + 1_000 }
  for (let nth = 1; nth <= blocks; nth += 1) further = nextBlock(further, headOf(further).time + 1, empty)
  return further
}

/** The node's own chain: it left the others' some blocks ago, and grows as fast. */
const forked = (unwell: Unwell): ChainState => {
  const state = unwell.chain.state()
  const apart = Math.min(unwell.behind, headOf(state).height, FINAL_AFTER)
  let fork = unwell.fork ?? { ...reorganise(state, apart, "forgotten"), pool: [], forks: state.forks + 2_000 }
  while (headOf(fork).height < headOf(state).height) fork = nextBlock(fork, headOf(state).time, empty)
  unwell.fork = fork
  return fork
}

const strange = genesis("another bitcoin", Math.floor(START / 1_000), [{ script: solver.script, amount: 1n }], 1_000n)

/** What a node has to answer calls from. */
export const shownBy = (mood: Mood | undefined, unwell: Unwell): ChainState => {
  const { behind, calls, chain } = unwell
  const state = chain.state()
  const deposits = (change: (transaction: CoinTransaction) => ReadonlyArray<CoinTransaction>) =>
    misreported(state, (each) => isDeposit(each) ? change(each) : [each])
  switch (mood) {
    case "node-stale":
      return chain.before(behind)
    case "node-patchwork":
      return chain.before(calls % 3)
    case "node-wrong-chain":
      return strange
    case "node-hides":
      return { ...misreported(state, (each) => isDeposit(each) || isOfSolver(state, each) ? [] : [each]), pool: [] }
    case "node-forked":
      return forked(unwell)
    case "node-inflates":
      return tenfoldAtAddresses(deposits((each) => [tenfold(each)]))
    case "node-renames":
      return deposits((each) => [renamed(each)])
    case "node-invents":
      return deposits((each) => [each, tenfold(each)])
    case "node-ahead":
      return ahead(state, behind)
    case "node-dear":
      return {
        ...state,
        rate: state.rate * 3n,
        pool: state.pool.map((each) => ({ ...each, fee: each.fee * 3n }))
      }
    case "node-forgets":
      return { ...state, pool: [] }
    default:
      return state
  }
}
