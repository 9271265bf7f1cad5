/**
 * A regtest chain: consensus, and the index of its blocks, kept in step. The first 450 blocks (segwit begins at 432)
 * pay the faucet, whose old rewards fund all accounts.
 */
import { Transaction } from "bitcoinjs-lib"
import { Consensus } from "./Consensus.ts"
import type { BitcoinKey } from "./LocalKey.ts"
import { keyOfName } from "./LocalKey.ts"
import { Ledger, spentId } from "./Ledger.ts"
import { signed } from "./Payment.ts"
import { taprootRefusal } from "./Taproot.ts"
import { RpcRefusal } from "../../RpcRefusal.ts"

/** Segwit is active, and the first rewards can be spent. */
const FIRST_BLOCKS = 450
const BLOCK_SECONDS = 600
const MATURITY = 100
const FEE = 1_000n

export interface KeptChain {
  readonly blocks: ReadonlyArray<Uint8Array>
  readonly waiting: ReadonlyArray<Uint8Array>
}

export interface Trial {
  readonly transaction: Transaction
  /** Satoshi. */
  readonly fee: bigint
  /** Why it would be refused. */
  readonly refused: string | undefined
}

const now = () => Math.floor(Date.now() / 1000)

export class Chain {
  readonly ledger: Ledger
  readonly faucet: BitcoinKey = keyOfName("causeway.local.bitcoin.faucet")
  private readonly consensus: Consensus
  /** Calls to consensus run one after the other. */
  private turn: Promise<unknown> = Promise.resolve()
  private readonly reserved = new Set<string>()

  private constructor(ledger: Ledger, consensus: Consensus) {
    this.ledger = ledger
    this.consensus = consensus
  }

  static async open(kept: KeptChain | undefined): Promise<Chain> {
    const ledger = new Ledger()
    const consensus = await Consensus.open({
      connected: (height, raw) => ledger.connect(height, raw),
      disconnected: () => ledger.disconnect()
    })
    const chain = new Chain(ledger, consensus)
    for (const raw of kept?.blocks ?? []) await consensus.accept(raw)
    for (const raw of kept?.waiting ?? []) await chain.submit(raw).catch(() => "")
    if (kept === undefined) {
      const start = now() - FIRST_BLOCKS * BLOCK_SECONDS
      for (let height = 1; height <= FIRST_BLOCKS; height += 1) {
        await consensus.mine(chain.faucet.program, start + height * BLOCK_SECONDS)
      }
    }
    return chain
  }

  private inTurn<A>(act: () => Promise<A>): Promise<A> {
    const done = this.turn.then(act)
    this.turn = done.catch(() => {})
    return done
  }

  mine(blocks: number): Promise<void> {
    return this.inTurn(async () => {
      for (let block = 0; block < blocks; block += 1) await this.consensus.mine(this.faucet.program, now())
    })
  }

  /** A block that takes none of the pending transactions, as while their fees are too low. */
  mineEmpty(): Promise<void> {
    return this.inTurn(() => this.consensus.mineEmpty(this.faucet.program, now()))
  }

  /**
   * Replaces the last blocks by a longer branch of empty ones. Their transactions are pending again, unless they are
   * dropped.
   */
  reorg(depth: number, drop: boolean): Promise<void> {
    // With another payee the blocks differ, even in the same second.
    return this.inTurn(() =>
      this.consensus.reorg(depth, {
        drop,
        reward: keyOfName(`causeway.local.bitcoin.branch.${this.ledger.tip.hash}`).program,
        time: now()
      })
    )
  }

  submit(raw: Uint8Array): Promise<string> {
    return this.inTurn(async () => {
      const transaction = decodeTransaction(raw)
      const refused = this.taprootRefusal(transaction)
      if (refused !== undefined) throw new RpcRefusal(-26, refused)
      const id = await this.consensus.submit(raw, this.ledger.feeOf(transaction))
      this.ledger.remember(transaction)
      return id
    })
  }

  /** Undefined also for unknown coins, which consensus refuses. */
  private taprootRefusal(transaction: Transaction): string | undefined {
    const spent = transaction.ins.flatMap(({ hash, index }) =>
      this.ledger.transaction(spentId(hash))?.outs[index] ?? []
    )
    return spent.length === transaction.ins.length ? taprootRefusal(transaction, spent) : undefined
  }

  /** The result that `submit` would have, and the fee. Changes nothing. */
  trial(raw: Uint8Array): Promise<Trial> {
    return this.inTurn(async () => {
      const transaction = decodeTransaction(raw)
      const fee = this.ledger.feeOf(transaction)
      const refused = this.taprootRefusal(transaction) ?? (await this.consensus.trial(raw, fee))
      return { transaction, fee: fee ?? 0n, refused }
    })
  }

  isWaiting(id: string): boolean {
    return this.consensus.isWaiting(id)
  }

  family(id: string): ReturnType<Consensus["family"]> {
    return this.consensus.family(id)
  }

  waiting(): ReturnType<Consensus["waiting"]> {
    return this.consensus.waiting()
  }

  /** Adds a pending transaction in which the faucet pays the address. Returns its id and the output. */
  async fund(script: Uint8Array, amount: bigint): Promise<{ readonly id: string; readonly index: number }> {
    const coin = this.ledger.coinsOf(this.faucet.address).find(({ id, index, value }) => {
      const height = this.ledger.confirmedIn(id)?.height ?? Number.POSITIVE_INFINITY
      return value > amount + FEE && height + MATURITY <= this.ledger.tip.height && !this.reserved.has(`${id}:${index}`)
    })
    if (coin === undefined) throw new Error(`the faucet has no coin of more than ${amount}`)
    this.reserved.add(`${coin.id}:${coin.index}`)
    const transaction = signed({
      inputs: [{ ...coin, key: this.faucet }],
      outputs: [{ script, amount }, { script: this.faucet.script, amount: coin.value - amount - FEE }]
    })
    return { id: await this.submit(transaction.toBuffer()), index: 0 }
  }
}

const decodeTransaction = (raw: Uint8Array): Transaction => {
  try {
    return Transaction.fromBuffer(raw)
  } catch {
    throw new RpcRefusal(-22, "TX decode failed. Make sure the tx has at least one input.")
  }
}
