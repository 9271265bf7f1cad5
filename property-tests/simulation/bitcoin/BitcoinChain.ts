/**
 * The Bitcoin chain of a simulated world: blocks by virtual time, with what chains and miners do to those who rely on
 * them. Its nodes are in `BitcoinNodes.ts`.
 */
import { Clock, Effect, Result } from "effect"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { Dice } from "../Dice.ts"
import { makeSpell } from "../faults/Spell.ts"
import type { Faults } from "../Faults.ts"
import { BLOCK_MS, START } from "../Terms.ts"
import { genesis, headOf, nextBlock, olderForms, reorganise, spentBy, submit } from "./CoinChain.ts"
import type { ChainState, Mining, Refusal } from "./CoinChain.ts"
import { isSigned } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { FINAL_AFTER, holdings, solver, MOST_TIMES_DEAR, USUAL_RATE } from "./Terms.ts"

/** How many old heads a node can be stuck at. */
const REMEMBERED = 20
/** The chain's clock is this wrong at most, seconds. */
const CLOCK_SECONDS = 20
const ROOMY = 1_000
/** Of a block in each interval of the world's blocks. */
const BLOCK_CHANCE = 0.5

export interface BitcoinChain {
  readonly state: () => ChainState
  /** The state some blocks ago. */
  readonly before: (blocks: number) => ChainState
  /** Whether the owners of what a transaction spends have signed it. Each is checked once. */
  readonly isSigned: typeof isSigned
  readonly send: (bytes: Uint8Array) => Result.Result<void, Refusal>
  /** Makes blocks, and lets the chain's faults strike, for ever. */
  readonly live: Effect.Effect<never>
}

const isOfSolver = (state: ChainState, transaction: CoinTransaction): boolean =>
  (spentBy(state, transaction) ?? []).some(({ script }) => sameBytes(script, solver.script))

/** Nodes check every signature, each only once. */
const makeSignatureCheck = (): typeof isSigned => {
  const checked = new Map<string, boolean>()
  return (transaction, spent) => {
    const name = hexDigits(transaction.bytes)
    const signed = checked.get(name) ?? isSigned(transaction, spent)
    checked.set(name, signed)
    return signed
  }
}

/** `tell`: writes into the history of the run. */
export const makeBitcoinChain = (
  dice: Dice,
  faults: Faults,
  isSolverPoor: boolean,
  tell: (event: string) => void
): BitcoinChain => {
  let state = genesis("bitcoin", Math.floor(START / 1_000), holdings(isSolverPoor), USUAL_RATE)
  let past: ReadonlyArray<ChainState> = [state]
  let [haltedUntil, dearUntil, wrong] = [0, 0, 0]
  const check = makeSignatureCheck()
  const found = dice.of("blocks")
  const say = (event: string) => tell(`bitcoin: ${event}`)
  const spell = (fault: Parameters<typeof makeSpell>[3]["fault"], most: number, says: string) =>
    makeSpell(faults, dice, say, { fault, probability: 0.03, lasts: [20_000, most], says })
  const isFull = spell("blocks-full", 120_000, "blocks have room for one transaction")
  const censors = spell("chain-censors", 60_000, "no block takes a transaction of the solver")
  const isApart = spell("chain-clock-apart", 120_000, "the clock is wrong")
  const anything: Mining = { takes: () => true, room: ROOMY, olderForms: false }

  const fork = (depth: number, transactions: "kept" | "forgotten", now: number) => {
    const { height } = headOf(state)
    const possible = Math.min(depth, height, FINAL_AFTER)
    if (possible < 1) return
    state = reorganise(state, possible, transactions)
    while (headOf(state).height < height) state = nextBlock(state, Math.floor(now / 1_000), anything)
    say(`the last ${possible} blocks are replaced, their transactions ${transactions}`)
  }

  const strike = (now: number) => {
    if (faults.strikes("reorg", 0.05)) fork(dice.between(1, FINAL_AFTER), "kept", now)
    if (faults.strikes("reorg-drops", 0.05)) fork(dice.between(1, FINAL_AFTER), "forgotten", now)
    if (faults.strikes("reorg-deepest", 0.02)) fork(FINAL_AFTER, "forgotten", now)
    if (state.pool.length > 0 && faults.strikes("pool-drops", 0.2)) {
      say(`${state.pool.length} transactions that wait for a block are forgotten`)
      state = { ...state, pool: [] }
    }
    if (dearUntil < now && faults.strikes("fee-spike", 0.15)) {
      dearUntil = now + dice.between(10_000, 180_000)
      state = { ...state, rate: USUAL_RATE * BigInt(dice.between(2, MOST_TIMES_DEAR)) }
      say(`transactions cost ${state.rate} satoshi for a thousand virtual bytes`)
    }
    if (haltedUntil < now && faults.strikes("chain-halts", 0.02)) {
      haltedUntil = now + dice.between(20_000, 180_000)
      say(`no blocks for ${Math.round((haltedUntil - now) / 1_000)} seconds`)
    }
    if (state.rate !== USUAL_RATE && (dearUntil < now || faults.isCalm())) state = { ...state, rate: USUAL_RATE }
  }

  const mining = (now: number): Mining => {
    const [full, censoring] = [isFull(now), censors(now)]
    const older = olderForms(state).length > 0 && faults.strikes("older-form", 0.8)
    if (older) say("a block takes the form of a transaction that another one has replaced")
    return {
      takes: (transaction) => !censoring || !isOfSolver(state, transaction),
      room: full ? 1 : ROOMY,
      olderForms: older
    }
  }

  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    strike(now)
    if (haltedUntil > now && !faults.isCalm()) return
    // Nobody knows when the next block comes, so payments wait together.
    if (!found.chance(BLOCK_CHANCE)) return
    const before = wrong
    wrong = isApart(now) ? (before === 0 ? dice.between(-CLOCK_SECONDS, CLOCK_SECONDS) : before) : 0
    state = nextBlock(state, Math.floor(now / 1_000) + wrong, mining(now))
    past = [...past.slice(1 - REMEMBERED), state]
  })

  return {
    state: () => state,
    before: (blocks) => past[Math.max(0, past.length - 1 - blocks)] ?? state,
    isSigned: check,
    send: (bytes) =>
      Result.map(submit(state, bytes, check), (next) => {
        state = next
      }),
    live: Effect.forever(Effect.andThen(Effect.sleep(BLOCK_MS), turn))
  }
}
