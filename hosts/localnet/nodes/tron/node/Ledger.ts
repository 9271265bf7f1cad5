/**
 * The blocks of a local Tron chain for its interfaces, and the position of each block's state: `evmHeight` is the EVM's
 * height after the block. It rises only when something was executed.
 *
 * Ids are a number and a hash, like Tron's. The hashed content is ours, so that replaying a chain gives the same ids.
 */
import { createHash } from "node:crypto"
import type { NodeAddress } from "./Account.ts"
import { nodeAddress } from "./Account.ts"
import type { Transaction } from "./Transaction.ts"

export interface Log {
  /** 40 digits. */
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

export interface Executed {
  readonly transaction: Transaction
  readonly result: "SUCCESS" | "REVERT" | "OUT_OF_ENERGY"
  readonly energy: number
  /** Sun that it burnt for bandwidth or a new account, and for its memo. */
  readonly feeBefore: bigint
  /** Sun that it burnt in all. */
  readonly fee: bigint
  /** The answer of a failed call, where it is known. */
  readonly answer: string
  readonly logs: ReadonlyArray<Log>
  /** For a creation. */
  readonly created: NodeAddress | undefined
}

export interface TronBlock {
  readonly number: number
  readonly id: string
  readonly parent: string
  /** Milliseconds. */
  readonly timestamp: number
  /** The number of reorgs before it. */
  readonly branch: number
  readonly executed: ReadonlyArray<Executed>
  readonly evmHeight: number
}

export interface Place {
  readonly block: TronBlock
  readonly index: number
  readonly executed: Executed
}

export const SOLIDIFIED_LAG = 19

export const witness: NodeAddress = nodeAddress(
  `0x${createHash("sha256").update("causeway.local.tron.witness").digest("hex").slice(0, 40)}`
)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export const rootOf = ({ executed }: Pick<TronBlock, "executed">): string =>
  executed.length === 0 ? "0".repeat(64) : sha256(executed.map(({ transaction }) => transaction.txID).join())

const idOf = (block: Omit<TronBlock, "id">): string =>
  `${block.number.toString(16).padStart(16, "0")}${
    sha256(`${block.parent} ${block.timestamp} ${block.branch} ${rootOf(block)}`).slice(16)
  }`

/** The first block's id ends with the chain's number, which a node gives as its chain id. */
const genesisId = (chainId: number): string =>
  `${"0".repeat(16)}${sha256("causeway.local.tron").slice(0, 40)}${chainId.toString(16).padStart(8, "0")}`

export class Ledger {
  readonly chainId: number
  private readonly blocks: Array<TronBlock>
  private readonly places = new Map<string, Place>()
  private readonly byId = new Map<string, TronBlock>()
  private solidNumber = 0

  constructor(chainId: number, timestamp: number, evmHeight: number) {
    this.chainId = chainId
    const first = {
      number: 0,
      id: genesisId(chainId),
      parent: "0".repeat(64),
      timestamp,
      branch: 0,
      executed: [],
      evmHeight
    }
    this.blocks = [first]
    this.byId.set(first.id, first)
  }

  get tip(): TronBlock {
    return this.at(this.blocks.length - 1)
  }

  /** It stays when blocks above it are replaced. Only a reorg that goes deeper breaks it. */
  get solid(): TronBlock {
    return this.at(this.solidNumber)
  }

  /** Throws beyond the tip. */
  at(number: number): TronBlock {
    const block = this.blocks[number]
    if (block === undefined) throw new RangeError(`there is no block ${number}`)
    return block
  }

  find(number: number): TronBlock | undefined {
    return this.blocks[number]
  }

  byHash(id: string): TronBlock | undefined {
    return this.byId.get(id)
  }

  placeOf(txID: string): Place | undefined {
    return this.places.get(txID)
  }

  append(made: Pick<TronBlock, "timestamp" | "branch" | "executed" | "evmHeight">): TronBlock {
    const { id: parent, number } = this.tip
    const content = { ...made, number: number + 1, parent }
    const block = { ...content, id: idOf(content) }
    this.blocks.push(block)
    this.byId.set(block.id, block)
    this.solidNumber = Math.max(this.solidNumber, block.number - SOLIDIFIED_LAG)
    block.executed.forEach((executed, index) => this.places.set(executed.transaction.txID, { block, index, executed }))
    return block
  }

  /** Removes the last blocks. The result is in chain order. */
  leave(depth: number): ReadonlyArray<TronBlock> {
    const gone = this.blocks.splice(Math.max(1, this.blocks.length - depth))
    for (const { executed, id } of gone) {
      this.byId.delete(id)
      for (const { transaction } of executed) this.places.delete(transaction.txID)
    }
    this.solidNumber = Math.min(this.solidNumber, this.tip.number)
    return gone
  }

  *from(first: number, last: number): Iterable<TronBlock> {
    for (let number = first; number <= Math.min(last, this.tip.number); number += 1) yield this.at(number)
  }
}
