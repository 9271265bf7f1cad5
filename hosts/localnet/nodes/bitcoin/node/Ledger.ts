/**
 * The index of the best branch for nodes and explorers: blocks, the block of each transaction, and the spender of each
 * coin.
 *
 * Transactions of replaced blocks are kept with their block, as in Core's index. They count for nothing.
 */
import { Block } from "bitcoinjs-lib"
import type { Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { addressOfScript } from "../../../../../src/domain/families/bitcoin/BitcoinScript.ts"

export interface LedgerBlock {
  readonly height: number
  readonly hash: string
  readonly raw: Uint8Array
  readonly block: Block
  readonly ids: ReadonlyArray<string>
}

export interface Spender {
  readonly id: string
  readonly input: number
}

export interface Coin {
  readonly id: string
  readonly index: number
  readonly value: bigint
}

const coinKey = (id: string, index: number): string => `${id}:${index}`

/** The id of the transaction that an input spends. */
export const spentId = (hash: Uint8Array): string => Buffer.from(hash.toReversed()).toString("hex")

/** The address that a script pays, if any. */
export const addressIn = (script: Uint8Array): string | undefined => {
  const address = addressOfScript(script, "regtest")
  return Result.isSuccess(address) ? address.success : undefined
}

export class Ledger {
  readonly blocks: Array<LedgerBlock> = []
  private readonly left = new Map<string, LedgerBlock>()
  private readonly transactions = new Map<string, Transaction>()
  /** The block in which a transaction was last seen. */
  private readonly places = new Map<string, LedgerBlock>()
  private readonly spenders = new Map<string, Spender>()
  private readonly byAddress = new Map<string, Set<string>>()

  get tip(): LedgerBlock {
    const tip = this.blocks.at(-1)
    if (tip === undefined) throw new Error("a chain without a first block")
    return tip
  }

  connect(height: number, raw: Uint8Array): void {
    const block = Block.fromBuffer(raw)
    const transactions = block.transactions ?? []
    const joined: LedgerBlock = {
      height,
      hash: block.getId(),
      raw,
      block,
      ids: transactions.map((each) => each.getId())
    }
    this.blocks.push(joined)
    for (const transaction of transactions) {
      const id = transaction.getId()
      this.remember(transaction)
      this.places.set(id, joined)
      transaction.ins.forEach(({ hash, index }, input) =>
        this.spenders.set(coinKey(spentId(hash), index), { id, input })
      )
    }
  }

  disconnect(): void {
    const gone = this.blocks.pop()
    if (gone === undefined) return
    this.left.set(gone.hash, gone)
    for (const { ins } of gone.block.transactions ?? []) {
      for (const { hash, index } of ins) this.spenders.delete(coinKey(spentId(hash), index))
    }
  }

  /** Makes a transaction known, pending or in a block. */
  remember(transaction: Transaction): void {
    const id = transaction.getId()
    if (this.transactions.has(id)) return
    this.transactions.set(id, transaction)
    for (const { script } of transaction.outs) this.note(addressIn(script), id)
    for (const { hash, index } of transaction.ins) {
      const script = this.transactions.get(spentId(hash))?.outs[index]?.script
      if (script !== undefined) this.note(addressIn(script), id)
    }
  }

  private note(address: string | undefined, id: string): void {
    if (address === undefined) return
    const known = this.byAddress.get(address) ?? new Set<string>()
    this.byAddress.set(address, known.add(id))
  }

  transaction(id: string): Transaction | undefined {
    return this.transactions.get(id)
  }

  /** Its block, even when that block was replaced. */
  placeOf(id: string): LedgerBlock | undefined {
    return this.places.get(id)
  }

  isBest({ hash, height }: LedgerBlock): boolean {
    return this.blocks[height]?.hash === hash
  }

  block(hash: string): LedgerBlock | undefined {
    return this.blocks.find((each) => each.hash === hash) ?? this.left.get(hash)
  }

  /** In the best branch. */
  spenderOf(id: string, index: number): Spender | undefined {
    return this.spenders.get(coinKey(id, index))
  }

  /** Its block in the best branch. Otherwise undefined. */
  confirmedIn(id: string): LedgerBlock | undefined {
    const place = this.placeOf(id)
    return place !== undefined && this.isBest(place) ? place : undefined
  }

  /** Every transaction that pays the address or spends its coins. */
  idsOf(address: string): ReadonlyArray<string> {
    return [...(this.byAddress.get(address) ?? [])]
  }

  /** Confirmed and unspent. */
  coinsOf(address: string): ReadonlyArray<Coin> {
    return this.idsOf(address).flatMap((id) =>
      this.confirmedIn(id) === undefined ?
        [] :
        (this.transactions.get(id)?.outs ?? []).flatMap(({ script, value }, index) =>
          addressIn(script) === address && this.spenderOf(id, index) === undefined ? [{ id, index, value }] : []
        )
    )
  }

  /** The miner's fee. Undefined when it spends an unknown coin. */
  feeOf(transaction: Transaction): bigint | undefined {
    let fee = -transaction.outs.reduce((sum, { value }) => sum + value, 0n)
    for (const { hash, index } of transaction.ins) {
      const spent = this.transactions.get(spentId(hash))?.outs[index]
      if (spent === undefined) return undefined
      fee += spent.value
    }
    return fee
  }
}
