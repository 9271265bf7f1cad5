/**
 * One chain of a simulated world: the ledger of `examples/ledger-vm`, whose blocks are made by virtual time, with what
 * chains do to those who rely on them. Its nodes are in `Nodes.ts`.
 */
import { Clock, Effect } from "effect"
import type { HttpAnswer, HttpCall } from "../../adapters/quorum/index.ts"
import { answer } from "../../examples/ledger-vm/ledger/Answer.ts"
import {
  finalOf,
  genesis,
  headOf,
  type LedgerState,
  nextBlock,
  reorganise
} from "../../examples/ledger-vm/ledger/Ledger.ts"
import type { Dice } from "./Dice.ts"
import { recoverFast } from "./FastCurve.ts"
import { makeBlocks } from "./faults/Blocks.ts"
import type { Faults } from "./Faults.ts"
import { readLedger } from "./LedgerReads.ts"
import { BLOCK_MS, holdings, START, termsOf } from "./Terms.ts"

/** Recovers each signature once: the same transfer is sent to all nodes, and again and again. */
const makeRecover = (): typeof recoverFast => {
  const known = new Map<string, ReturnType<typeof recoverFast>>()
  return (digest, signature) => {
    const key = `${Buffer.from(digest).toString("base64")} ${signature}`
    const recovered = known.get(key) ?? recoverFast(digest, signature)
    known.set(key, recovered)
    return recovered
  }
}

/** How many old heads a node can be stuck at. */
const REMEMBERED = 20

export interface SimulatedChain {
  readonly slug: string
  readonly state: () => LedgerState
  /** The state some blocks ago. */
  readonly before: (blocks: number) => LedgerState
  readonly ask: (call: HttpCall) => HttpAnswer
  /** Makes blocks, and lets the chain's faults strike, for ever. */
  readonly live: Effect.Effect<never>
}

/** `tell`: writes into the history of the run. */
export const makeChain = (
  slug: string,
  dice: Dice,
  faults: Faults,
  solverHolds: bigint,
  tell: (event: string) => void
): SimulatedChain => {
  const usual = termsOf(slug)
  let state = genesis(usual, Math.floor(START / 1_000), holdings(solverHolds))
  let past: ReadonlyArray<LedgerState> = [state]
  let haltedUntil = 0
  let dearUntil = 0

  const recover = makeRecover()
  const makeBlock = makeBlocks(slug, usual.finalAfter, dice.of("blocks"), faults, tell)

  const fork = (depth: number, transfers: "kept" | "forgotten" | "reordered", now: number) => {
    const { height } = headOf(state)
    const possible = Math.min(depth, height - finalOf(state).height)
    if (possible < 1) return
    state = reorganise(state, possible, transfers === "forgotten" ? "forgotten" : "kept")
    if (transfers === "reordered") state = { ...state, pool: state.pool.toReversed() }
    while (headOf(state).height < height) state = nextBlock(state, Math.floor(now / 1_000))
    tell(`${slug}: the last ${possible} blocks are replaced, their transfers ${transfers}`)
  }

  const strike = (now: number) => {
    if (faults.strikes("reorg", 0.05)) fork(dice.between(1, usual.finalAfter), "kept", now)
    if (faults.strikes("reorg-drops", 0.05)) fork(dice.between(1, usual.finalAfter), "forgotten", now)
    if (faults.strikes("reorg-reorders", 0.03)) fork(dice.between(1, usual.finalAfter), "reordered", now)
    if (faults.strikes("reorg-deepest", 0.02)) fork(headOf(state).height, "forgotten", now)
    if (state.pool.length > 0 && faults.strikes("pool-drops", 0.2)) {
      tell(`${slug}: ${state.pool.length} transfers that wait for a block are forgotten`)
      state = { ...state, pool: [] }
    }
    if (dearUntil < now && faults.strikes("fee-spike", 0.02)) {
      dearUntil = now + dice.between(10_000, 120_000)
      state = { ...state, terms: { ...state.terms, fee: usual.fee * BigInt(dice.between(2, 20)) } }
      tell(`${slug}: a transfer costs ${state.terms.fee}`)
    }
    if (haltedUntil < now && faults.strikes("chain-halts", 0.02)) {
      haltedUntil = now + dice.between(20_000, 180_000)
      tell(`${slug}: no blocks for ${Math.round((haltedUntil - now) / 1_000)} seconds`)
    }
    if (state.terms.fee !== usual.fee && (dearUntil < now || faults.isCalm())) {
      state = { ...state, terms: { ...state.terms, fee: usual.fee } }
    }
  }

  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    strike(now)
    if (haltedUntil > now && !faults.isCalm()) return
    state = makeBlock(state, now)
    past = [...past.slice(1 - REMEMBERED), state]
  })

  return {
    slug,
    state: () => state,
    before: (blocks) => past[Math.max(0, past.length - 1 - blocks)] ?? state,
    ask: (call) => {
      if (call.method === "GET") return readLedger(state, call)
      const answered = answer(state, call, recover)
      state = answered.state
      return answered.answer
    },
    live: Effect.forever(Effect.andThen(Effect.sleep(BLOCK_MS), turn))
  }
}
