/**
 * A chain of expiring transactions as one pure state machine: blocks, the pool of what waits, and Tron's rules for what
 * nodes take and blocks hold. Values in, values out. Clock and transport are left to others.
 *
 * Kept of Tron: the block that a transaction names, its expiration, one execution for each id, costs of bandwidth, memos,
 * energy and new accounts, fee limits, transfers that no contract takes, solidified blocks that never change. Left out:
 * staking, permissions, votes, and all contracts but the depository and two tokens (`Contracts.ts`).
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { bandwidthOf, transferCost } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { chainIds } from "../Terms.ts"
import { call, holding, isContract, tokens } from "./Contracts.ts"
import type { Log, Storage, Weather } from "./Contracts.ts"
import { SOLID_AFTER } from "./Terms.ts"
import type { SentTransaction } from "./TronTransaction.ts"

type Balances = ReadonlyMap<Address, bigint>

export interface Executed {
  readonly sent: SentTransaction
  readonly result: "SUCCESS" | "REVERT" | "OUT_OF_ENERGY"
  /** Sun, beside what it moves. */
  readonly fee: bigint
  readonly logs: ReadonlyArray<Log>
}

/** A block, with all accounts after it. */
export interface Kept {
  readonly height: number
  /** 64 digits, which begin with the height. */
  readonly hash: string
  readonly parent: string
  /** Milliseconds. */
  readonly time: number
  readonly executed: ReadonlyArray<Executed>
  readonly balances: Balances
  readonly storage: Storage
  /** The heights of transactions. */
  readonly places: ReadonlyMap<string, number>
}

export interface ChainState {
  /** The first is the genesis. */
  readonly blocks: readonly [Kept, ...ReadonlyArray<Kept>]
  /** The height of the solidified block. It never falls. */
  readonly solid: number
  readonly pool: ReadonlyArray<SentTransaction>
  readonly prices: TronPrices
  readonly weather: Weather
  readonly forks: number
}

/** As nodes refuse a transaction. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

export const headOf = ({ blocks }: ChainState): Kept => blocks.at(-1) ?? blocks[0]
export const solidOf = ({ blocks, solid }: ChainState): Kept => blocks[solid] ?? blocks[0]

/** What the solidified part of a node has. */
export const solidPart = (state: ChainState): ChainState => {
  const [first, ...rest] = state.blocks
  return { ...state, blocks: [first, ...rest.slice(0, state.solid)], pool: [] }
}

const hashOf = (height: number, ...content: ReadonlyArray<string | number>): string =>
  `${height.toString(16).padStart(16, "0")}${hexDigits(sha256(utf8ToBytes(JSON.stringify(content)))).slice(16)}`

const usualWeather: Weather = { tokenMood: "usual", frozen: new Set(), energyPercent: 100n }

/**
 * The end of the first block's hash is the chain's number. `time` in milliseconds. `holdings`: everybody's sun, and as
 * many units of each token.
 */
export const genesis = (
  name: string,
  time: number,
  holdings: ReadonlyArray<readonly [Address, bigint]>,
  prices: TronPrices
): ChainState => {
  const hash = `${hashOf(0, name).slice(0, 56)}${chainIds.tron.toString(16).padStart(8, "0")}`
  const first: Kept = {
    height: 0,
    hash,
    parent: "0".repeat(64),
    time,
    executed: [],
    balances: new Map(holdings),
    storage: new Map(
      tokens.flatMap((token) => holdings.map(([account, units]) => [holding(token, account), units] as const))
    ),
    places: new Map()
  }
  return { blocks: [first], solid: 0, pool: [], prices, weather: usualWeather, forks: 0 }
}

const balanceOf = (balances: Balances, account: Address): bigint => balances.get(account) ?? 0n

const moved = (balances: Balances, from: Address, to: Address | undefined, amount: bigint, fee: bigint): Balances => {
  const after = new Map(balances)
  after.set(from, balanceOf(after, from) - amount - fee)
  if (to !== undefined) after.set(to, balanceOf(after, to) + amount)
  return after
}

const invalid = (message: string): Refusal => ({
  code: "CONTRACT_VALIDATE_ERROR",
  message: `Contract validate error : ${message}`
})
const tooLittle = invalid("Validate TransferContract error, balance is not sufficient.")

interface Outcome {
  readonly executed: Executed
  readonly balances: Balances
  readonly storage: Storage
}

/** What a transaction does to accounts and contracts. A refusal means that no block holds it. */
const execute = (
  { balances, storage }: Pick<Kept, "balances" | "storage">,
  { prices, weather }: ChainState,
  sent: SentTransaction
): Result.Result<Outcome, Refusal> => {
  const { feeLimit, rawData, transaction: { act, memo } } = sent
  switch (act._tag) {
    case "Transfer": {
      if (act.owner === act.to) return Result.fail(invalid("Cannot transfer TRX to yourself."))
      if (isContract(act.to)) return Result.fail(invalid("Cannot transfer TRX to a smartContract."))
      const fee = transferCost(prices, rawData.length, {
        createsRecipient: !balances.has(act.to),
        hasMemo: memo.length > 0
      })
      if (balanceOf(balances, act.owner) < act.amount + fee) return Result.fail(tooLittle)
      return Result.succeed({
        executed: { sent, result: "SUCCESS", fee, logs: [] },
        balances: moved(balances, act.owner, act.to, act.amount, fee),
        storage
      })
    }
    case "Trigger": {
      if (!isContract(act.contract)) return Result.fail(invalid("No contract or not a valid smart contract"))
      const bandwidth = bandwidthOf(rawData.length) * prices.bandwidth
      const left = balanceOf(balances, act.owner) - act.value - bandwidth
      if (left < 0n) return Result.fail(tooLittle)
      const called = call(storage, weather, act)
      const energy = called.energy * prices.energy
      const most = feeLimit < left ? feeLimit : left
      const fee = bandwidth + (energy < most ? energy : most)
      if (energy > most || called._tag === "Reverted") {
        const result = energy > most ? "OUT_OF_ENERGY" : "REVERT"
        return Result.succeed({
          executed: { sent, result, fee, logs: [] },
          balances: moved(balances, act.owner, undefined, 0n, fee),
          storage
        })
      }
      return Result.succeed({
        executed: { sent, result: "SUCCESS", fee, logs: called.logs },
        balances: moved(balances, act.owner, act.contract, act.value, fee),
        storage: called.storage
      })
    }
    case "Other":
      return Result.fail(invalid("nothing here knows this kind"))
  }
}

/** Whether the chain has the block that a transaction names. */
const hasReference = ({ blocks }: ChainState, { reference: { bits, hash } }: SentTransaction): boolean =>
  blocks.some(({ hash: own, height }) => (height & 0xff_ff) === bits && own.slice(16, 32) === hash)

/** The chain's own rule: the newest block before the one that would hold it has not reached the expiration. */
const mayHold = (state: ChainState, { expiration, id }: SentTransaction): boolean => {
  const { places, time } = headOf(state)
  return time < expiration && !places.has(id)
}

/** Which transactions that wait a block takes, and how many. */
export interface Making {
  readonly takes: (sent: SentTransaction) => boolean
  readonly room: number
}

export const anything: Making = { takes: () => true, room: 1_000 }

/** `time` in milliseconds; a block is always later than its parent. `isLate`: nothing more is solidified. */
export const nextBlock = (state: ChainState, time: number, { room, takes }: Making, isLate = false): ChainState => {
  const parent = headOf(state)
  const height = parent.height + 1
  const [executed, left]: [Array<Executed>, Array<SentTransaction>] = [[], []]
  let { balances, storage } = parent
  for (const sent of state.pool) {
    if (!mayHold(state, sent) || executed.some((each) => each.sent.id === sent.id)) continue
    if (!takes(sent) || executed.length >= room || !hasReference(state, sent)) {
      left.push(sent)
      continue
    }
    const outcome = execute({ balances, storage }, state, sent)
    if (Result.isFailure(outcome)) continue
    executed.push(outcome.success.executed)
    balances = outcome.success.balances
    storage = outcome.success.storage
  }
  const block: Kept = {
    height,
    hash: hashOf(height, parent.hash, time, state.forks, ...executed.map(({ sent }) => sent.id)),
    parent: parent.hash,
    time: Math.max(time, parent.time + 1_000),
    executed,
    balances,
    storage,
    places: new Map([...parent.places, ...executed.map(({ sent }) => [sent.id, height] as const)])
  }
  const solid = isLate ? state.solid : Math.max(state.solid, height - SOLID_AFTER)
  return { ...state, blocks: [...state.blocks, block], solid, pool: left }
}

/** Takes the newest blocks back, at most to the solidified one. */
export const reorganise = (state: ChainState, depth: number, transactions: "kept" | "forgotten"): ChainState => {
  const from = Math.max(state.solid + 1, state.blocks.length - depth)
  const [first, ...rest] = state.blocks
  const gone = state.blocks.slice(from).flatMap(({ executed }) => executed.map(({ sent }) => sent))
  return {
    ...state,
    blocks: [first, ...rest.slice(0, from - 1)],
    pool: transactions === "kept" ? [...gone, ...state.pool] : state.pool,
    forks: state.forks + 1
  }
}

/** A node takes a transaction for one of the next blocks. `isSigned`: whether its owner has signed it. */
export const submit = (
  state: ChainState,
  sent: SentTransaction,
  isSigned: (sent: SentTransaction) => boolean
): Result.Result<ChainState, Refusal> => {
  const head = headOf(state)
  const { places, time } = head
  if (!isSigned(sent)) return Result.fail({ code: "SIGERROR", message: "Validate signature error" })
  if (places.has(sent.id) || state.pool.some(({ id }) => id === sent.id)) {
    return Result.fail({ code: "DUP_TRANSACTION_ERROR", message: "Dup transaction" })
  }
  if (!hasReference(state, sent)) return Result.fail({ code: "TAPOS_ERROR", message: "Tapos check error" })
  if (time >= sent.expiration) {
    return Result.fail({ code: "TRANSACTION_EXPIRATION_ERROR", message: "Transaction expired" })
  }
  return Result.map(execute(head, state, sent), () => ({ ...state, pool: [...state.pool, sent] }))
}

/** Where a transaction is. Undefined when it is in no block. */
export const entryOf = (
  { blocks }: ChainState,
  id: string
): { readonly block: Kept; readonly executed: Executed } | undefined => {
  const height = blocks.at(-1)?.places.get(id)
  const block = height === undefined ? undefined : blocks[height]
  const executed = block?.executed.find(({ sent }) => sent.id === id)
  return block === undefined || executed === undefined ? undefined : { block, executed }
}
