/**
 * What is wrong with a Tron node, and what it has then. A node that lies does so about the chain as it sees it: its
 * answers are those of an honest node of another chain. It cannot lie about the bytes behind an id.
 */
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { START } from "../Terms.ts"
import type { Fault } from "../Faults.ts"
import type { Log } from "./Contracts.ts"
import { accounts, contract, funder, isOfService, keeper, solver, SOLID_AFTER, USUAL_PRICES } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { genesis, headOf, nextBlock, reorganise, solidPart } from "./TronLedger.ts"
import type { ChainState, Executed, Kept, Making } from "./TronLedger.ts"
import { withAct } from "./TronTransaction.ts"

export const moods = [
  "node-silent",
  "node-slow",
  "node-error",
  "node-nonsense",
  "node-stale",
  "node-patchwork",
  "node-wrong-chain",
  "node-hides",
  "node-without-blocks",
  "node-forked",
  "node-inflates",
  "node-renames",
  "node-invents",
  "node-ahead",
  "node-hasty",
  "node-apart",
  "node-refuses-sends",
  "node-swallows-sends",
  "node-limits"
] as const satisfies ReadonlyArray<Fault>
export type Mood = (typeof moods)[number]

/** A node that is not well. */
export interface Unwell {
  readonly chain: TronChain
  /** How many blocks it is behind, or apart from the others. */
  readonly behind: number
  /** How many calls it has answered within a second. */
  readonly calls: number
  /** The chain that a forked node follows. */
  fork: ChainState | undefined
}

const empty: Making = { takes: () => false, room: 0 }

/** By a call of the depository, or by the transfer of a token to it. */
const isDeposit = ({ logs }: Executed): boolean =>
  logs.some(({ address, topics: [event, , to] }) =>
    address === contract || (event === topics.transfer && to?.slice(-40) === contract.slice(2))
  )
const isSentByService = ({ sent: { transaction: { owner } } }: Executed): boolean => isOfService(owner)

const known: ReadonlySet<string> = new Set([solver, funder, ...accounts].map(({ evm }) => evm)).add(contract).add(
  keeper
)

/** The chain with ten times as much at deposit addresses: nobody else in this world has an account that is not known. */
const inflated = (state: ChainState): ChainState => {
  const change = (kept: Kept): Kept => ({
    ...kept,
    balances: new Map([...kept.balances].map(([holder, sun]) => [holder, known.has(holder) ? sun : sun * 10n])),
    storage: new Map([...kept.storage].map(([at, units]) => [at, known.has(at.slice(-42)) ? units : units * 10n]))
  })
  const [first, ...rest] = state.blocks
  const looked = new Set([headOf(state).height, state.solid])
  return { ...state, blocks: [first, ...rest.map((kept) => looked.has(kept.height) ? change(kept) : kept)] }
}

/** The chain with other transactions in its blocks. `change`: what is there in place of one. */
const misreported = (state: ChainState, change: (executed: Executed) => ReadonlyArray<Executed>): ChainState => {
  const places = new Map<string, number>()
  const changed = (kept: Kept): Kept => {
    const executed = kept.executed.flatMap(change)
    for (const { sent: { id } } of executed) places.set(id, kept.height)
    return { ...kept, executed, places }
  }
  const [first, ...rest] = state.blocks
  return { ...state, blocks: [first, ...rest.map(changed)], pool: [] }
}

/** The digits of an order's id with its halves exchanged. */
const renamed = (id: string): string => `${id.slice(32)}${id.slice(0, 32)}`

/** A log whose data has another amount and id. `words`: before the amount. */
const relogged = (log: Log, words: number, times: bigint, rename: boolean): Log => {
  const at = 2 + words * 64
  const [amount, id] = [BigInt(`0x${log.data.slice(at, at + 64)}`) * times, log.data.slice(at + 64)]
  return {
    ...log,
    data: `${log.data.slice(0, at)}${amount.toString(16).padStart(64, "0")}${rename ? renamed(id) : id}`
  }
}

/** Words before the amount, by an event's first topic. */
const wordsBefore: ReadonlyMap<string, number> = new Map([
  [topics.nativeDeposit, 1],
  [topics.erc20Deposit, 2],
  [topics.transfer, 0]
])

/** A deposit of another amount, or for another order, with an id that fits. */
const another = (executed: Executed, times: bigint, rename: boolean): Executed => {
  const { act } = executed.sent.transaction
  if (act._tag !== "Trigger") return executed
  const [head, id] = [act.input.slice(0, -64), act.input.slice(-64)]
  // Of a token the amount is the word before the id.
  const isToken = act.value === 0n
  const kept = isToken ? head.slice(0, -64) : head
  const amount = isToken ? (BigInt(`0x${head.slice(-64)}`) * times).toString(16).padStart(64, "0") : ""
  const input = Hex.make(`0x${kept.slice(2)}${amount}${rename ? renamed(id) : id}`)
  const sent = withAct(executed.sent, { ...act, input, value: act.value * times })
  const logs = executed.logs.map((log) => relogged(log, wordsBefore.get(log.topics[0] ?? "") ?? 0, times, rename))
  return { ...executed, sent, logs }
}

/** Blocks that no other node has. */
const ahead = (state: ChainState, blocks: number): ChainState => {
  let further: ChainState = { ...state, forks: state.forks + 1_000 }
  for (let nth = 1; nth <= blocks; nth += 1) further = nextBlock(further, headOf(further).time + 10_000, empty)
  return further
}

/** The node's own chain: it left the others' some blocks ago, and grows as fast. */
const forked = (unwell: Unwell): ChainState => {
  const state = unwell.chain.state()
  const apart = Math.min(unwell.behind, SOLID_AFTER)
  let fork = unwell.fork ?? { ...reorganise(state, apart, "forgotten"), pool: [], forks: state.forks + 2_000 }
  while (headOf(fork).height < headOf(state).height) fork = nextBlock(fork, headOf(state).time, empty)
  unwell.fork = fork
  return fork
}

const strange = genesis("another tron", START, [[solver.evm, 1n]], USUAL_PRICES)

/** What the solidified part of a node has to answer calls from. */
export const solidShownBy = (mood: Mood | undefined, unwell: Unwell): ChainState => {
  if (mood !== "node-apart") return solidPart(shownBy(mood, unwell))
  const other = ahead(forked(unwell), unwell.behind)
  return solidPart({ ...other, solid: headOf(other).height })
}

/** What a node has to answer calls from. */
export const shownBy = (mood: Mood | undefined, unwell: Unwell): ChainState => {
  const { behind, calls, chain } = unwell
  const state = chain.state()
  const deposits = (change: (executed: Executed) => ReadonlyArray<Executed>) =>
    misreported(state, (each) => isDeposit(each) ? change(each) : [each])
  switch (mood) {
    case "node-stale":
      return chain.before(behind)
    case "node-patchwork":
      return chain.before(calls % 3)
    case "node-wrong-chain":
      return { ...strange, blocks: [{ ...strange.blocks[0], hash: "0".repeat(64) }] }
    case "node-hides":
      return misreported(state, (each) => isDeposit(each) || isSentByService(each) ? [] : [each])
    case "node-forked":
      return forked(unwell)
    case "node-inflates":
      return inflated(deposits((each) => [another(each, 10n, false)]))
    case "node-renames":
      return deposits((each) => [another(each, 1n, true)])
    case "node-invents":
      return deposits((each) => [each, another(each, 10n, false)])
    case "node-ahead":
      return ahead(state, behind)
    case "node-hasty":
      return { ...state, solid: headOf(state).height }
    default:
      return state
  }
}
