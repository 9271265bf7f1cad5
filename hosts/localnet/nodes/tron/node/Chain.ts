/**
 * A Tron chain over an EVM: pending transactions, blocks, and the EVM's position. Operations run one after the other.
 *
 * The stored state is the signed transactions and the times of the blocks. A chain that is opened again executes them
 * all again, and gets the same ids.
 */
import type { Encode } from "./Encoding.ts"
import type { Evm } from "./Evm.ts"
import { execute, isCreation } from "./Execution.ts"
import type { Genesis } from "./Genesis.ts"
import { apply } from "./Genesis.ts"
import { Ledger } from "./Ledger.ts"
import type { TronBlock } from "./Ledger.ts"
import { isInTime, readSigned, refersToBranch, requireAll } from "./Rules.ts"
import type { Transaction } from "./Transaction.ts"

export interface KeptChain {
  readonly genesisTimestamp: number
  readonly blocks: ReadonlyArray<
    { readonly timestamp: number; readonly branch: number; readonly transactions: ReadonlyArray<Transaction> }
  >
  readonly waiting: ReadonlyArray<Transaction>
}

export interface ChainOptions {
  readonly chainId: number
  readonly genesis: Genesis
  /** For a new chain. */
  readonly genesisTimestamp: number
  /** Milliseconds from a block to the next, in whole seconds. */
  readonly interval: number
}

const wholeSeconds = (milliseconds: number): number => milliseconds - (milliseconds % 1_000)

export class Chain {
  readonly ledger: Ledger
  readonly evm: Evm
  readonly encode: Encode
  private readonly interval: number
  private queue: Array<Transaction> = []
  private branch = 0
  private notBefore = 0
  private turn: Promise<unknown> = Promise.resolve()

  private constructor(ledger: Ledger, evm: Evm, encode: Encode, interval: number) {
    this.ledger = ledger
    this.evm = evm
    this.encode = encode
    this.interval = interval
  }

  static async open(
    evm: Evm,
    encode: Encode,
    { chainId, genesis, genesisTimestamp, interval }: ChainOptions,
    kept?: KeptChain
  ): Promise<Chain> {
    const timestamp = kept?.genesisTimestamp ?? wholeSeconds(genesisTimestamp)
    await apply(evm, genesis, timestamp / 1000 - genesis.calls.length)
    const chain = new Chain(new Ledger(chainId, timestamp, await evm.height()), evm, encode, interval)
    for (const block of kept?.blocks ?? []) {
      chain.branch = block.branch
      await chain.add(block.transactions, block.timestamp)
    }
    // A client cannot refer to the very first block: its number, zero, is left out.
    if (kept === undefined) await chain.add([], timestamp + interval)
    for (const transaction of kept?.waiting ?? []) await chain.submit(transaction).catch(() => {})
    return chain
  }

  private inTurn<A>(act: () => Promise<A>): Promise<A> {
    const done = this.turn.then(act)
    this.turn = done.catch(() => {})
    return done
  }

  private async add(transactions: ReadonlyArray<Transaction>, timestamp: number): Promise<void> {
    const executed = await execute(this.evm, transactions, timestamp)
    // The EVM has no block for an empty Tron block: a night of empty blocks is reopened in a moment.
    const evmHeight = transactions.length === 0 ? this.ledger.tip.evmHeight : await this.evm.height()
    this.ledger.append({ timestamp, branch: this.branch, executed, evmHeight })
  }

  /**
   * The transactions of the next block. A creation gets its own block. Transactions that are no longer valid are
   * dropped.
   */
  private take(timestamp: number): ReadonlyArray<Transaction> {
    const fit = this.queue.filter(({ raw_data }) =>
      isInTime(raw_data, timestamp) && refersToBranch(raw_data, this.ledger)
    )
    const [first] = fit
    const until = fit.findIndex(isCreation)
    const taken = first !== undefined && isCreation(first) ? [first] : fit.slice(0, until === -1 ? fit.length : until)
    this.queue = fit.slice(taken.length)
    return taken
  }

  private async produce(): Promise<void> {
    const timestamp = Math.max(this.ledger.tip.timestamp + this.interval, this.notBefore)
    await this.add(this.take(timestamp), timestamp)
  }

  /**
   * One interval apart whatever the clock says: a transaction expires a minute after the tip that it refers to, however
   * slow its sender is.
   */
  mine(blocks: number): Promise<void> {
    return this.inTurn(async () => {
      for (let block = 0; block < blocks; block += 1) await this.produce()
    })
  }

  /** The next block is not before that second. */
  wait(until: number): void {
    this.notBefore = wholeSeconds(until)
  }

  private async leave(depth: number): Promise<ReadonlyArray<TronBlock>> {
    const before = this.ledger.tip.evmHeight
    const gone = this.ledger.leave(depth)
    await this.evm.rollback(before - this.ledger.tip.evmHeight)
    this.branch += 1
    return gone
  }

  /** Removes the last blocks, with their transactions. The next block takes the place of the first of them. */
  takeBack(depth: number): Promise<void> {
    return this.inTurn(async () => {
      await this.leave(depth)
    })
  }

  /**
   * Replaces the last blocks by a branch of empty ones that is longer by one. Their transactions are pending again, or
   * are dropped.
   */
  reorg(depth: number, drop: boolean): Promise<void> {
    return this.inTurn(async () => {
      const gone = await this.leave(depth)
      for (const { timestamp } of gone) await this.add([], timestamp)
      await this.add([], this.ledger.tip.timestamp + this.interval)
      if (!drop) {
        this.queue = [...gone.flatMap(({ executed }) => executed.map(({ transaction }) => transaction)), ...this.queue]
      }
    })
  }

  /** Makes a transaction pending. Returns its id. Errors: Refusal. */
  submit(submitted: unknown): Promise<string> {
    return this.inTurn(async () => {
      const transaction = readSigned(submitted, this.encode)
      const isKnown = (txID: string) => this.isWaiting(txID) || this.ledger.placeOf(txID) !== undefined
      await requireAll(transaction, { ledger: this.ledger, evm: this.evm, isKnown })
      this.queue.push(transaction)
      return transaction.txID
    })
  }

  isWaiting(txID: string): boolean {
    return this.queue.some((each) => each.txID === txID)
  }

  waiting(): ReadonlyArray<Transaction> {
    return this.queue
  }

  kept(): KeptChain {
    const { ledger } = this
    return {
      genesisTimestamp: ledger.at(0).timestamp,
      blocks: [...ledger.from(1, ledger.tip.number)].map(({ branch, executed, timestamp }) => ({
        timestamp,
        branch,
        transactions: executed.map(({ transaction }) => transaction)
      })),
      waiting: this.queue
    }
  }
}
