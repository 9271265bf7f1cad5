/**
 * What is wrong with an endpoint, and what it answers then. An endpoint that lies does so about the chain as it sees
 * it: its answers are those of an honest node of another chain, so that they fit together.
 */
import type { HttpAnswer, HttpCall } from "../../../adapters/quorum/index.ts"
import { answer } from "../../../examples/ledger-vm/ledger/Answer.ts"
import {
  entryOf,
  finalOf,
  headOf,
  type LedgerState,
  nextBlock,
  reorganise
} from "../../../examples/ledger-vm/ledger/Ledger.ts"
import { transferId } from "../../../examples/ledger-vm/ledger/Transfer.ts"
import type { Transfer } from "../../../examples/ledger-vm/ledger/Transfer.ts"
import { orderIdIn } from "../../../examples/ledger-vm/rules/Evidence.ts"
import type { SimulatedChain } from "../Chain.ts"
import type { Fault } from "../Faults.ts"
import { onceForEach, readLedger } from "../LedgerReads.ts"
import { depository, users } from "../Terms.ts"

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
  "node-hasty",
  "node-sequences",
  "node-refuses-sends",
  "node-swallows-sends",
  "node-limits"
] as const satisfies ReadonlyArray<Fault>
export type Mood = (typeof moods)[number]

/** An endpoint that is not well. */
export interface Unwell {
  readonly chain: SimulatedChain
  readonly other: SimulatedChain
  /** How many blocks it is behind, or apart from the others. */
  readonly behind: number
  /** How many calls it has answered within a second. */
  readonly calls: number
  /** The chain that a forked endpoint follows. */
  fork: LedgerState | undefined
}

type Kept = LedgerState["blocks"][number]

const withBlocks = (state: LedgerState, change: (kept: Kept) => Kept): LedgerState => {
  const [first, ...rest] = state.blocks
  return { ...state, blocks: [first, ...rest.map(change)] }
}

/** Other deposits than there are, under the ids of the real ones or under ids that fit. */
const misreported = (ids: "kept" | "fitting", change: (transfer: Transfer) => Transfer) =>
  onceForEach((state) =>
    withBlocks(state, ({ accounts, block }) => ({
      accounts,
      block: {
        ...block,
        entries: block.entries.map((entry) => {
          const { transfer } = entry.signed
          if (transfer.recipient !== depository) return entry
          const other = change(transfer)
          return {
            ...entry,
            id: ids === "kept" ? entry.id : transferId(other),
            signed: { ...entry.signed, transfer: other }
          }
        })
      }
    }))
  )

const tenfold = (transfer: Transfer): Transfer => ({ ...transfer, amount: transfer.amount * 10n })

/** A deposit that names an order of nobody. */
const renamed = (transfer: Transfer): Transfer => ({
  ...transfer,
  memo: orderIdIn(transfer.memo) === undefined
    ? transfer.memo
    : `0x${transfer.memo.slice(34)}${transfer.memo.slice(2, 34)}`
})

const inflated = misreported("kept", tenfold)
const withOthersOrders = misreported("kept", renamed)
const invented = misreported("fitting", tenfold)

/** Accounts whose next sequence is three further than it is. */
const furtherSequences = onceForEach((state) =>
  withBlocks(state, ({ accounts, block }) => ({
    block,
    accounts: new Map([...accounts].map(([of, account]) => [of, { ...account, sequence: account.sequence + 3n }]))
  }))
)

const hasty = onceForEach((state) => ({ ...state, terms: { ...state.terms, finalAfter: 0 } }))

/** Blocks that no other endpoint has. */
const ahead = (state: LedgerState, blocks: number): LedgerState => {
  let further: LedgerState = { ...state, pool: [], forks: state.forks + 1_000 }
  for (let nth = 1; nth <= blocks; nth += 1) further = nextBlock(further, headOf(further).time + 1)
  return further
}

/** The endpoint's own chain: it left the others' some blocks ago, and grows as fast. */
const forked = (unwell: Unwell): LedgerState => {
  const state = unwell.chain.state()
  const apart = Math.min(unwell.behind, headOf(state).height - finalOf(state).height)
  let fork = unwell.fork ?? { ...reorganise(state, apart, "forgotten"), pool: [], forks: state.forks + 2_000 }
  while (headOf(fork).height < headOf(state).height) fork = nextBlock(fork, headOf(state).time)
  unwell.fork = fork
  return fork
}

/** It knows the chain's heads, and none of its transfers. */
const hiding = (state: LedgerState, call: HttpCall): HttpAnswer => {
  if (call.path.startsWith("/v1/transfers/")) {
    return readLedger(state, { ...call, path: `/v1/transfers/${"0".repeat(64)}` })
  }
  // The account of a user who never deposits: its list is empty.
  return call.path.startsWith("/v1/transfers?")
    ? readLedger(state, { ...call, path: call.path.replace(/account=.*/u, `account=${users[0] ?? ""}x`) })
    : readLedger(state, call)
}

/** Older blocks than these are pruned. */
const KEPT_BLOCKS = 8

/** It has only the newest blocks, and says so. */
const pruned = (state: LedgerState, call: HttpCall): HttpAnswer => {
  const oldest = headOf(state).height - KEPT_BLOCKS
  const [, height] = /^\/v1\/(?:blocks\/|transfers\?after=)(\d+)/u.exec(call.path) ?? []
  const [, id = ""] = /^\/v1\/transfers\/(\w+)/u.exec(call.path) ?? []
  const place = height === undefined ? entryOf(state, id)?.block.height : Number(height)
  return place !== undefined && place < oldest ? { status: 410, said: { error: "pruned" } } : readLedger(state, call)
}

const NO_BLOCK = "/v1/blocks/999999999"

/** Reads of an endpoint whose sends are as those of any other. */
const read = (mood: Mood, unwell: Unwell, call: HttpCall): HttpAnswer => {
  const { behind, calls, chain, other } = unwell
  const state = chain.state()
  const of = (shown: LedgerState) => readLedger(shown, call)
  switch (mood) {
    case "node-stale":
      return of(chain.before(behind))
    case "node-patchwork":
      return of(chain.before(calls % 3))
    case "node-wrong-chain":
      return of(other.state())
    case "node-hides":
      return hiding(state, call)
    case "node-pruned":
      return pruned(state, call)
    case "node-without-blocks":
      return call.path.startsWith("/v1/blocks/") ? readLedger(state, { ...call, path: NO_BLOCK }) : of(state)
    case "node-forked":
      return of(forked(unwell))
    case "node-inflates":
      return of(inflated(state))
    case "node-renames":
      return of(withOthersOrders(state))
    case "node-invents":
      return of(invented(state))
    case "node-ahead":
      return of(ahead(state, behind))
    case "node-hasty":
      return of(hasty(state))
    case "node-sequences":
      return of(furtherSequences(state))
    default:
      return of(state)
  }
}

/** Calls a second that an endpoint with a limit answers. */
const LIMIT = 5

/** The answer of an endpoint that is not well. Silence and slowness are not answers. */
export const answerOf = (mood: Mood, unwell: Unwell, call: HttpCall): HttpAnswer => {
  switch (mood) {
    case "node-error":
      return { status: 503, said: undefined }
    case "node-nonsense":
      return { status: 200, said: { head: "high" } }
    case "node-limits":
      if (unwell.calls > LIMIT) return { status: 429, said: undefined }
      break
    case "node-refuses-sends":
      if (call.method === "POST") return { status: 403, said: undefined }
      break
    case "node-swallows-sends":
      if (call.method === "POST") return answer(unwell.chain.state(), call).answer
      break
    case "node-wrong-chain":
      if (call.method === "POST") return { status: 503, said: undefined }
      break
    default:
  }
  return call.method === "POST" ? unwell.chain.ask(call) : read(mood, unwell, call)
}
