/**
 * A chain of unspent outputs as one pure state machine: blocks of real bytes, the pool of what waits, and the rules by
 * which nodes take, replace and mine transactions. Values in, values out. Clock and transport are left to others.
 *
 * Kept of Bitcoin: signatures of P2WPKH, dust, the least fee, replacement by fee (BIP-125), the number of relatives that
 * wait, packages of parents and children, reorgs. Left out: proof of work, rewards, other scripts.
 */
import { Result } from "effect"
import type { BtcOutpoint, BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { feeOf, FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { Coin } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { coinbaseOf, headerOf } from "./BlockBytes.ts"
import type { Header } from "./BlockBytes.ts"
import { readCoinTransaction, unsigned } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"

/** An unspent output in a block. */
export interface ChainCoin extends Coin {
  readonly script: Uint8Array
  readonly height: number
}

/** A block, with the chain's coins after it. */
export interface Kept {
  readonly height: number
  readonly header: Header
  readonly parent: string
  /** Whole seconds. */
  readonly time: number
  readonly transactions: ReadonlyArray<CoinTransaction>
  /** By name. */
  readonly coins: ReadonlyMap<string, ChainCoin>
  /** The id of what has spent a coin, by the coin's name. */
  readonly spenders: ReadonlyMap<string, string>
  /** The heights of transactions. */
  readonly places: ReadonlyMap<string, number>
}

/** A transaction that is in no block. */
export interface Waiting extends CoinTransaction {
  /** Satoshi. */
  readonly fee: bigint
}

export interface ChainState {
  /** The first is the genesis. */
  readonly blocks: readonly [Kept, ...ReadonlyArray<Kept>]
  /** Blocks that the chain has left, by hash: nodes remember them. */
  readonly left: ReadonlyMap<string, Kept>
  /** Each after those that it spends outputs of. */
  readonly pool: ReadonlyArray<Waiting>
  /** What another transaction has replaced in the pool. A miner may have it still. */
  readonly replaced: ReadonlyArray<Waiting>
  /** Every transaction that a node ever took, by id. */
  readonly known: ReadonlyMap<string, CoinTransaction>
  /** Satoshi for a thousand virtual bytes: blocks take nothing below it, and it is what nodes estimate. */
  readonly rate: bigint
  readonly forks: number
}

/** As Bitcoin Core refuses a transaction. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

/** Satoshi for a thousand virtual bytes: nodes relay nothing below it. */
export const RELAY_RATE = FeeRate(1_000n)
/** The relatives of a transaction that may wait, itself included. */
const MOST_RELATIVES = 25
/** What one transaction may evict from the pool. */
const MOST_EVICTED = 100
const NO_PARENT = "00".repeat(32)

export const headOf = ({ blocks }: ChainState): Kept => blocks.at(-1) ?? blocks[0]

const sum = (outputs: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  outputs.reduce((total, { amount }) => total + amount, 0n)

/** The outputs that a transaction spends. Undefined when one of their makers is not known. */
export const spentBy = (
  { known }: Pick<ChainState, "known">,
  { inputs }: CoinTransaction
): ReadonlyArray<BtcOutput> | undefined => {
  const spent = inputs.flatMap(({ index, transactionId }) => known.get(transactionId)?.outputs[index] ?? [])
  return spent.length === inputs.length ? spent : undefined
}

const isCoin = (one: BtcOutpoint, other: BtcOutpoint): boolean =>
  one.index === other.index && one.transactionId === other.transactionId

const sharesCoin = (one: CoinTransaction, other: CoinTransaction): boolean =>
  one.inputs.some((input) => other.inputs.some((each) => isCoin(input, each)))

/** Those of the list that the transaction needs, itself left out. The list has parents before children. */
const parentsIn = <T extends CoinTransaction>(
  list: ReadonlyArray<T>,
  { inputs }: CoinTransaction
): ReadonlyArray<T> => {
  const needed = new Set(inputs.map(({ transactionId }) => transactionId))
  for (const each of list.toReversed()) {
    if (needed.has(each.id)) each.inputs.forEach(({ transactionId }) => needed.add(transactionId))
  }
  return list.filter(({ id }) => needed.has(id))
}

/** Those of the list that need one of these, and these themselves. */
export const withChildren = (list: ReadonlyArray<Waiting>, roots: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
  const ids = new Set(roots.map(({ id }) => id))
  for (const { id, inputs } of list) if (inputs.some(({ transactionId }) => ids.has(transactionId))) ids.add(id)
  return list.filter(({ id }) => ids.has(id))
}

/** The chain with one more block. */
const extended = (state: ChainState, time: number, own: ReadonlyArray<CoinTransaction>): ChainState => {
  const { coins: before, header, height: below, places: placed, spenders: spent } = headOf(state)
  const height = below + 1
  const reward = coinbaseOf(`block ${height} of fork ${state.forks}`)
  const transactions = [reward, ...own]
  const [coins, spenders, places] = [new Map(before), new Map(spent), new Map(placed)]
  for (const { id, inputs, outputs } of transactions) {
    places.set(id, height)
    for (const input of inputs) {
      coins.delete(coinName(input))
      spenders.set(coinName(input), id)
    }
    for (const [index, { amount, script }] of outputs.entries()) {
      const coin = { transactionId: id, index, amount, script, height }
      if (amount > 0n) coins.set(coinName(coin), coin)
    }
  }
  const kept: Kept = {
    height,
    header: headerOf(header.hash, time, state.forks, transactions),
    parent: header.hash,
    time,
    transactions,
    coins,
    spenders,
    places
  }
  return { ...state, blocks: [...state.blocks, kept], known: new Map([...state.known, [reward.id, reward]]) }
}

/** `name`: makes the chain unlike others. `time`: whole seconds. */
export const genesis = (
  name: string,
  time: number,
  holdings: ReadonlyArray<BtcOutput>,
  rate: bigint
): ChainState => {
  const reward = coinbaseOf(name)
  const grant = unsigned([{ transactionId: reward.id, index: 0 }], holdings)
  const transactions = [reward, grant]
  const coins = holdings.map((held, index): ChainCoin => ({ ...held, transactionId: grant.id, index, height: 0 }))
  return {
    blocks: [{
      height: 0,
      // Its name alone decides its hash, not what is held: a poor solver has the same chain.
      header: headerOf(NO_PARENT, time, 0, [reward]),
      parent: NO_PARENT,
      time,
      transactions,
      coins: new Map(coins.map((coin) => [coinName(coin), coin])),
      spenders: new Map(),
      places: new Map(transactions.map(({ id }) => [id, 0]))
    }],
    left: new Map(),
    pool: [],
    replaced: [],
    known: new Map(transactions.map((each) => [each.id, each])),
    rate,
    forks: 0
  }
}

const refuse = (code: number, message: string): Result.Result<never, Refusal> => Result.fail({ code, message })

/** Whether each input is a coin of the chain, or an output of something in the pool. */
const isFunded = (state: ChainState, pool: ReadonlyArray<CoinTransaction>, { inputs }: CoinTransaction): boolean =>
  inputs.every((input) =>
    headOf(state).coins.has(coinName(input)) ||
    pool.some(({ id, outputs }) => id === input.transactionId && outputs[input.index] !== undefined)
  )

const rateOf = ({ fee, virtualBytes }: Pick<Waiting, "fee" | "virtualBytes">): bigint =>
  fee * 1_000n / BigInt(virtualBytes)

/** BIP-125: it pays more than all that it evicts, and at a higher rate than what it replaces. */
const replaces = (state: ChainState, next: Waiting): Result.Result<ChainState, Refusal> => {
  const direct = state.pool.filter((each) => sharesCoin(each, next))
  const evicted = withChildren(state.pool, direct)
  const fees = evicted.reduce((total, { fee }) => total + fee, 0n)
  const spendsEvicted = next.inputs.some(({ transactionId }) => evicted.some(({ id }) => id === transactionId))
  if (spendsEvicted || evicted.length > MOST_EVICTED) return refuse(-26, "bad-txns-spends-conflicting-tx")
  const paysEnough = direct.length === 0 ||
    (direct.every((each) => rateOf(next) > rateOf(each)) && next.fee >= fees + feeOf(RELAY_RATE, next.virtualBytes))
  if (!paysEnough) return refuse(-26, "insufficient fee, rejecting replacement")
  const pool = state.pool.filter((each) => !evicted.includes(each))
  const parents = parentsIn(pool, next)
  const isCrowded = [next, ...parents].length > MOST_RELATIVES ||
    parents.some((parent) => withChildren(pool, [parent]).length >= MOST_RELATIVES)
  if (isCrowded) return refuse(-26, "too-long-mempool-chain")
  return Result.succeed({
    ...state,
    pool: [...pool, next],
    replaced: [...state.replaced, ...evicted],
    known: new Map([...state.known, [next.id, next]])
  })
}

/** Takes a transaction into the pool, as a node does. One that waits already is taken again. */
export const submit = (
  state: ChainState,
  bytes: Uint8Array,
  isSigned: (transaction: CoinTransaction, spent: ReadonlyArray<BtcOutput>) => boolean
): Result.Result<ChainState, Refusal> => {
  const transaction = readCoinTransaction(bytes)
  if (transaction === undefined || isCoinbase(transaction)) return refuse(-22, "TX decode failed")
  const { coins, places } = headOf(state)
  const { id, outputs, virtualBytes } = transaction
  if (places.has(id) && outputs.some((_, index) => coins.has(coinName({ transactionId: id, index })))) {
    return refuse(-27, "Transaction outputs already in utxo set")
  }
  if (state.pool.some((each) => each.id === id)) return Result.succeed(state)
  const spent = spentBy(state, transaction)
  if (spent === undefined || !isFunded(state, state.pool, transaction)) {
    return refuse(-25, "bad-txns-inputs-missingorspent")
  }
  const fee = sum(spent) - sum(outputs)
  if (fee < feeOf(RELAY_RATE, virtualBytes)) return refuse(-26, "min relay fee not met")
  if (outputs.some(({ amount, script }) => amount < dustOf(script))) return refuse(-26, "dust")
  if (!isSigned(transaction, spent)) return refuse(-26, "mandatory-script-verify-flag-failed")
  return replaces(state, { ...transaction, fee })
}

export interface Mining {
  /** Whether a miner takes it. What needs it is then left out, too. */
  readonly takes: (transaction: Waiting) => boolean
  /** Transactions that a block has room for. One with its parents always fits. */
  readonly room: number
  /** A miner takes the form that was replaced, where it has one. */
  readonly olderForms: boolean
}

/** The best of what waits, by the rate of each transaction together with its parents. */
const chosen = (pool: ReadonlyArray<Waiting>, rate: bigint, { room, takes }: Mining): ReadonlyArray<Waiting> => {
  const taken: Array<Waiting> = []
  while (true) {
    const left = pool.filter((each) => !taken.includes(each))
    const packages = left.map((each) => [...parentsIn(left, each), each])
      .filter((each) =>
        each.every(takes) && taken.length + each.length <= Math.max(room, taken.length === 0 ? each.length : 0)
      )
      .map((each) => ({
        each,
        rate: rateOf({
          fee: each.reduce((total, { fee }) => total + fee, 0n),
          virtualBytes: each.reduce((total, { virtualBytes }) => total + virtualBytes, 0)
        })
      }))
    const best = packages.reduce<typeof packages[number] | undefined>(
      (first, next) => first === undefined || next.rate > first.rate ? next : first,
      undefined
    )
    if (best === undefined || best.rate < rate) return taken
    taken.push(...best.each)
  }
}

/** What of a list can wait on this chain: funded, and no two spend one coin. The first of two stays. */
const waitable = (state: ChainState, list: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> =>
  list.reduce<ReadonlyArray<Waiting>>(
    (pool, each) =>
      headOf(state).places.has(each.id) || pool.some(({ id }) => id === each.id) || !isFunded(state, pool, each) ||
        pool.some((other) => sharesCoin(other, each))
        ? pool
        : [...pool, each],
    []
  )

/** Replaced forms that could be in the next block. */
export const olderForms = (state: ChainState): ReadonlyArray<Waiting> => waitable(state, state.replaced)

/** The next block. `time`: whole seconds. */
export const nextBlock = (state: ChainState, time: number, mining: Mining): ChainState => {
  const older = mining.olderForms ? olderForms(state).filter(mining.takes) : []
  const pool = older.length === 0 ? state.pool : waitable(state, [...older, ...state.pool])
  const others = chosen(pool.filter((each) => !older.includes(each)), state.rate, mining)
  const made = extended(state, Math.max(time, headOf(state).time), [...older, ...others])
  return { ...made, pool: waitable(made, pool) }
}

/** Removes the last blocks. Their transactions wait again ("kept"), or are forgotten until somebody sends them. */
export const reorganise = (state: ChainState, depth: number, transactions: "kept" | "forgotten"): ChainState => {
  const length = Math.max(1, state.blocks.length - depth)
  const [first, ...rest] = state.blocks
  const undone = state.blocks.slice(length)
  const shorter: ChainState = {
    ...state,
    blocks: [first, ...rest.slice(0, length - 1)],
    left: new Map([...state.left, ...undone.map((kept) => [kept.header.hash, kept] as const)]),
    forks: state.forks + 1
  }
  const again = undone.flatMap((kept) => kept.transactions.filter((each) => !isCoinbase(each))).map((
    each
  ): Waiting => ({
    ...each,
    fee: sum(spentBy(state, each) ?? []) - sum(each.outputs)
  }))
  return { ...shorter, pool: waitable(shorter, transactions === "kept" ? [...again, ...state.pool] : state.pool) }
}

/** A transaction that a block or the pool has. */
export const shownAs = (
  state: ChainState,
  id: string
): { readonly transaction: CoinTransaction; readonly block: Kept | undefined } | undefined => {
  const height = headOf(state).places.get(id)
  const transaction = height === undefined ? state.pool.find((each) => each.id === id) : state.known.get(id)
  return transaction === undefined
    ? undefined
    : { transaction, block: height === undefined ? undefined : state.blocks[height] }
}
