/** Types for the used part of bcoin, which has none of its own. Hex hashes are in wire order. */
declare module "bcoin/lib/protocol/network.js" {
  export default class Network {
    static get(name: "regtest"): Network
    readonly addressPrefix: { bech32: string }
  }
}

declare module "bcoin/lib/primitives/tx.js" {
  export default class TX {
    static fromRaw(raw: Uint8Array): TX
    toRaw(): Uint8Array
    /** In display order. */
    txid(): string
    readonly inputs: ReadonlyArray<
      { readonly prevout: { readonly hash: string; readonly index: number }; readonly sequence: number }
    >
  }
}

declare module "bcoin/lib/primitives/block.js" {
  import type TX from "bcoin/lib/primitives/tx.js"

  export default class Block {
    static fromRaw(raw: Uint8Array): Block
    toRaw(): Uint8Array
    /** In display order. */
    rhash(): string
    readonly txs: ReadonlyArray<TX>
  }
}

declare module "bcoin/lib/primitives/address.js" {
  export default class Address {
    static fromProgram(version: number, program: Uint8Array): Address
    readonly version: number
  }
}

declare module "bcoin/lib/blockchain/chain.js" {
  import type Block from "bcoin/lib/primitives/block.js"
  import type Network from "bcoin/lib/protocol/network.js"

  export interface ChainEntry {
    readonly height: number
    readonly time: number
    rhash(): string
  }

  type Moved = (entry: ChainEntry, block: Block) => Promise<void>

  export default class Chain {
    constructor(options: { readonly network: Network; readonly memory: boolean })
    readonly height: number
    readonly tip: ChainEntry
    open(): Promise<void>
    close(): Promise<void>
    /** The entry of the block. Null when it already exists or is an orphan. */
    add(block: Block): Promise<ChainEntry | null>
    getEntry(height: number): Promise<ChainEntry | null>
    getBlock(height: number): Promise<Block | null>
    getMedianTime(tip: ChainEntry): Promise<number>
    on(event: "connect" | "disconnect", listener: Moved): void
    on(event: "reorganize", listener: () => Promise<void>): void
  }
}

declare module "bcoin/lib/mempool/mempool.js" {
  import type Chain from "bcoin/lib/blockchain/chain.js"
  import type { ChainEntry } from "bcoin/lib/blockchain/chain.js"
  import type TX from "bcoin/lib/primitives/tx.js"
  import type Network from "bcoin/lib/protocol/network.js"

  export interface MempoolEntry {
    readonly tx: TX
    /** Satoshi. */
    readonly fee: number
    /** Virtual bytes. */
    readonly size: number
  }

  export default class Mempool {
    constructor(
      options: {
        readonly network: Network
        readonly chain: Chain
        readonly memory: boolean
        readonly replaceByFee: boolean
        readonly rejectAbsurdFees: boolean
        readonly maxOrphans: number
      }
    )
    open(): Promise<void>
    close(): Promise<void>
    reset(): Promise<void>
    /** Null when it was accepted. Otherwise the unknown hashes that it spends. */
    addTX(tx: TX): Promise<ReadonlyArray<string> | null>
    /** The hashes of all pending transactions, in hex. */
    getSnapshot(): ReadonlyArray<string>
    getEntry(hash: string): MempoolEntry | undefined
    getSpent(hash: string, index: number): MempoolEntry | undefined
    /** With whatever spends its outputs. */
    evictEntry(entry: MempoolEntry): void
    getDescendants(entry: MempoolEntry): ReadonlyArray<MempoolEntry>
    /** Rejects for a transaction that the rules of these flags refuse. */
    verifyInputs: (tx: TX, view: unknown, flags: number) => Promise<void>
    _addBlock(entry: ChainEntry, txs: ReadonlyArray<TX>): Promise<void>
    _removeBlock(entry: ChainEntry, txs: ReadonlyArray<TX>): Promise<void>
    _handleReorg(): Promise<void>
  }
}

declare module "bcoin/lib/mining/miner.js" {
  import type Chain from "bcoin/lib/blockchain/chain.js"
  import type { ChainEntry } from "bcoin/lib/blockchain/chain.js"
  import type Mempool from "bcoin/lib/mempool/mempool.js"
  import type Address from "bcoin/lib/primitives/address.js"
  import type Block from "bcoin/lib/primitives/block.js"
  import type Network from "bcoin/lib/protocol/network.js"

  interface Job {
    readonly attempt: { time: number }
    refresh(): void
    mine(): Block
  }

  export default class Miner {
    /** Without a mempool its blocks are empty. */
    constructor(options: { readonly network: Network; readonly chain: Chain; readonly mempool?: Mempool })
    readonly cpu: { createJob(tip: ChainEntry, address: Address): Promise<Job> }
    open(): Promise<void>
  }
}
