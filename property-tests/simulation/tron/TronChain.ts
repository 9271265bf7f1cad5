/**
 * The Tron chain of a simulated world: blocks by virtual time, with what chains and block producers do to those who rely
 * on them. Its nodes are in `TronNodes.ts`.
 */
import { Clock, Effect, Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import type { Dice } from "../Dice.ts"
import { makeSpell } from "../faults/Spell.ts"
import type { Faults } from "../Faults.ts"
import { BLOCK_MS, START } from "../Terms.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { Weather } from "./Contracts.ts"
import { holdings, isOfService, USUAL_PRICES } from "./Terms.ts"
import { anything, genesis, headOf, nextBlock, reorganise, solidOf, submit } from "./TronLedger.ts"
import type { ChainState, Kept, Refusal } from "./TronLedger.ts"
import { isSigned, readTransaction } from "./TronTransaction.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** How many old heads a node can be stuck at. */
const REMEMBERED = 20
/** The chain's clock is this wrong at most, seconds. */
const CLOCK_SECONDS = 20
/** A producer that withholds a transaction lets it into a block at the latest when it expires within this time. */
const LAST_MS = 2 * BLOCK_MS

/** What everything costs from a time on, milliseconds. */
export interface Costs extends Pick<Weather, "energyPercent"> {
  readonly from: number
  readonly prices: TronPrices
}

export interface TronChain {
  readonly state: () => ChainState
  /** Whether a block has ever executed it with success, also one that was replaced since. */
  readonly wasExecuted: (id: string) => boolean
  /** Blocks that a reorg has replaced. What they executed may be in others. */
  readonly replaced: () => ReadonlyArray<Kept>
  /** What it has cost at any time since then, milliseconds. */
  readonly costsSince: (time: number) => ReadonlyArray<Costs>
  /** The state some blocks ago. */
  readonly before: (blocks: number) => ChainState
  readonly send: (bytes: Uint8Array) => Result.Result<void, Refusal>
  /** USDT moves nothing to the account from now on. */
  readonly freeze: (account: Address) => void
  /** Makes blocks, and lets the chain's faults strike, for ever. */
  readonly live: Effect.Effect<never>
}

/** Nodes check every signature, each only once. */
const makeSignatureCheck = (): typeof isSigned => {
  const checked = new Map<string, boolean>()
  return (sent) => {
    const name = `${sent.id} ${hexDigits(sent.signature)}`
    const signed = checked.get(name) ?? isSigned(sent)
    checked.set(name, signed)
    return signed
  }
}

/** `tell`: writes into the history of the run. */
export const makeTronChain = (
  dice: Dice,
  faults: Faults,
  isSolverPoor: boolean,
  tell: (event: string) => void
): TronChain => {
  let state = genesis("tron", START, holdings(isSolverPoor), USUAL_PRICES)
  let past: ReadonlyArray<ChainState> = [state]
  let [haltedUntil, dearUntil, wrong] = [0, 0, 0]
  /** What a producer has, and gives to nobody. */
  let withheld: ReadonlyArray<SentTransaction> = []
  const check = makeSignatureCheck()
  const say = (event: string) => tell(`tron: ${event}`)
  const spell = (fault: Parameters<typeof makeSpell>[3]["fault"], most: number, says: string, probability = 0.03) =>
    makeSpell(faults, dice, say, { fault, probability, lasts: [20_000, most], says })
  const isFull = spell("blocks-full", 120_000, "blocks have room for one transaction")
  const censors = spell("chain-censors", 240_000, "no block takes a transaction of the solver, or a sweep")
  const isLate = spell("finality-late", 120_000, "no block is solidified")
  const isApart = spell("chain-clock-apart", 120_000, "the clock is wrong")
  const refuses = spell("token-refuses", 120_000, "USDT refuses transfers", 0.2)
  const isHollow = spell("token-hollow", 120_000, "USDT moves nothing and returns false", 0.2)
  const isHungry = spell("energy-rises", 120_000, "calls take half as much energy again", 0.2)
  const executed = new Set<string>()
  /** Oldest first. */
  let costs: ReadonlyArray<Costs> = [{ from: 0, prices: USUAL_PRICES, energyPercent: 100n }]
  /** The chain before its newest blocks were replaced. */
  let replaced: ChainState | undefined
  const takenBack: Array<Kept> = []

  const noteReplaced = (by: ChainState) => {
    takenBack.push(...state.blocks.filter(({ hash, height }) => by.blocks[height]?.hash !== hash))
  }

  const fork = (depth: number, transactions: "kept" | "forgotten", now: number) => {
    const { height } = headOf(state)
    const possible = Math.min(depth, height - state.solid)
    if (possible < 1) return
    replaced = state
    const shorter = reorganise(state, possible, transactions)
    noteReplaced(shorter)
    state = shorter
    while (headOf(state).height < height) state = nextBlock(state, now, anything, true)
    say(`the last ${possible} blocks are replaced, their transactions ${transactions}`)
  }

  /** A fork that was left gets longer than the one that replaced it. Solidified blocks stay. */
  const comeBack = (now: number) => {
    const left = replaced
    if (left === undefined || left.blocks[state.solid]?.hash !== solidOf(state).hash) return
    replaced = undefined
    noteReplaced(left)
    const { blocks, height } = { blocks: state.blocks.slice(state.solid + 1), ...headOf(state) }
    const pool = [...blocks.flatMap(({ executed }) => executed.map(({ sent }) => sent)), ...state.pool]
    state = { ...left, solid: state.solid, prices: state.prices, weather: state.weather, pool, forks: state.forks + 1 }
    while (headOf(state).height < height) state = nextBlock(state, now, anything, true)
    say("a fork that was replaced comes back")
  }

  const strike = (now: number) => {
    if (replaced !== undefined && faults.strikes("fork-returns", 0.4)) comeBack(now)
    if (faults.strikes("reorg", 0.05)) fork(dice.between(1, 4), "kept", now)
    if (faults.strikes("reorg-drops", 0.05)) fork(dice.between(1, 4), "forgotten", now)
    if (faults.strikes("reorg-deepest", 0.02)) fork(headOf(state).height, "forgotten", now)
    if (state.pool.length > 0 && faults.strikes("pool-drops", 0.2)) {
      say(`${state.pool.length} transactions that wait for a block are forgotten`)
      state = { ...state, pool: [] }
    }
    if (dearUntil < now && faults.strikes("fee-spike", 0.05)) {
      dearUntil = now + dice.between(10_000, 180_000)
      const times = BigInt(dice.between(2, 8))
      const { bandwidth, energy, memo } = USUAL_PRICES
      const prices = { ...USUAL_PRICES, bandwidth: bandwidth * times, energy: energy * times, memo: memo * times }
      state = { ...state, prices }
      say(`everything costs ${times} times as much`)
    }
    if (haltedUntil < now && faults.strikes("chain-halts", 0.02)) {
      haltedUntil = now + dice.between(20_000, 240_000)
      say(`no blocks for ${Math.round((haltedUntil - now) / 1_000)} seconds`)
    }
    if (dearUntil < now || faults.isCalm()) state = { ...state, prices: USUAL_PRICES }
  }

  /** A producer withholds payments that wait, and lets each into the last block that may hold it. */
  const withhold = () => {
    const isIn = (list: ReadonlyArray<SentTransaction>) => ({ id }: SentTransaction) =>
      list.some((each) => each.id === id)
    const taken = state.pool.filter((sent) =>
      isOfService(sent.transaction.owner) && !isIn(withheld)(sent) && faults.strikes("last-moment", 0.3)
    )
    for (const { id } of taken) say(`a producer withholds ${id.slice(0, 10)}`)
    withheld = [...withheld, ...taken]
    const { time } = headOf(state)
    const due = withheld.filter(({ expiration }) => expiration - time <= LAST_MS)
    const others = state.pool.filter((sent) => !isIn(withheld)(sent))
    withheld = withheld.filter((sent) => !due.includes(sent))
    state = { ...state, pool: [...due, ...others] }
  }

  /** What contracts do changes while a call of one waits: the trial says something else than the block. */
  const weatherAt = (now: number): Weather => {
    const { weather } = state
    const waits = state.pool.some(({ transaction: { act } }) => act._tag === "Trigger")
    if (!waits && weather.tokenMood === "usual" && weather.energyPercent === 100n) return weather
    const tokenMood = refuses(now) ? "refuses" : isHollow(now) ? "hollow" : "usual"
    return { ...weather, tokenMood, energyPercent: isHungry(now) ? 150n : 100n }
  }

  const noteCosts = (from: number) => {
    const { prices, weather: { energyPercent } } = state
    const last = costs.at(-1)
    if (last?.prices !== prices || last.energyPercent !== energyPercent) {
      costs = [...costs, { from, prices, energyPercent }]
    }
  }

  const noteExecuted = () => {
    for (const block of state.blocks.slice(state.solid)) {
      for (const { result, sent: { id } } of block.executed) if (result === "SUCCESS") executed.add(id)
    }
  }

  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    strike(now)
    noteCosts(now)
    if (haltedUntil > now && !faults.isCalm()) return
    const before = wrong
    wrong = isApart(now) ? (before === 0 ? dice.between(-CLOCK_SECONDS, CLOCK_SECONDS) : before) : 0
    withhold()
    state = { ...state, weather: weatherAt(now) }
    noteCosts(now)
    const [full, censoring] = [isFull(now), censors(now)]
    const making = {
      takes: ({ transaction: { owner } }: SentTransaction) => !censoring || !isOfService(owner),
      room: full ? 1 : anything.room
    }
    state = nextBlock(state, now + wrong * 1_000, making, isLate(now))
    noteExecuted()
    past = [...past.slice(1 - REMEMBERED), state]
  })

  return {
    state: () => state,
    wasExecuted: (id) => executed.has(id),
    replaced: () => takenBack,
    costsSince: (time) => costs.filter((_, nth) => (costs[nth + 1]?.from ?? Infinity) > time),
    before: (blocks) => past[Math.max(0, past.length - 1 - blocks)] ?? state,
    send: (bytes) => {
      const sent = readTransaction(bytes)
      if (sent === undefined) return Result.fail({ code: "OTHER_ERROR", message: "no transaction" })
      return Result.map(submit(state, sent, check), (next) => {
        state = next
      })
    },
    freeze: (account) => {
      const frozen = new Set([...state.weather.frozen, account])
      state = { ...state, weather: { ...state.weather, frozen } }
    },
    live: Effect.forever(Effect.andThen(Effect.sleep(BLOCK_MS), turn))
  }
}
