/**
 * The rules for blocks and transactions, and the choice of the branch: bcoin on regtest, in memory, without a network.
 *
 * Real: proof of work, scripts before taproot, coins, fees, the mempool's rules, the branch with the most work. Ours:
 * replacing a transaction by one that pays more (BIP-125), which bcoin's mempool does not support, and spends of
 * taproot outputs, which its caller has checked (Taproot.ts). It reports every
 * block that joins or leaves the best branch, in order, before the call that caused it ends.
 */
import type Chain from "bcoin/lib/blockchain/chain.js"
import type { ChainEntry } from "bcoin/lib/blockchain/chain.js"
import type Mempool from "bcoin/lib/mempool/mempool.js"
import type { MempoolEntry } from "bcoin/lib/mempool/mempool.js"
import type Miner from "bcoin/lib/mining/miner.js"
import type Address from "bcoin/lib/primitives/address.js"
import type Block from "bcoin/lib/primitives/block.js"
import type TX from "bcoin/lib/primitives/tx.js"
import { RpcRefusal } from "../../RpcRefusal.ts"

export interface Listener {
  readonly connected: (height: number, raw: Uint8Array) => void
  readonly disconnected: (height: number) => void
}

interface Bcoin {
  readonly chain: Chain
  readonly mempool: Mempool
  readonly miner: Miner
  /** Its blocks hold only the reward. */
  readonly bareMiner: Miner
  readonly decodeBlock: (raw: Uint8Array) => Block
  readonly decodeTransaction: (raw: Uint8Array) => TX
  readonly payee: (program: Uint8Array) => Address
}

/** The flag by which bcoin's mempool refuses spends of witness versions that it does not know. */
const DISCOURAGE_NEW_WITNESSES = 1 << 12

/** bcoin takes most of a second to load, so it is loaded only when a chain is started. */
const load = async (): Promise<Bcoin> => {
  // Its native parts are not built. Without this it looks for them.
  process.env["NODE_BACKEND"] = "js"
  const [network, chains, mempools, miners, blocks, transactions, addresses] = await Promise.all([
    import("bcoin/lib/protocol/network.js"),
    import("bcoin/lib/blockchain/chain.js"),
    import("bcoin/lib/mempool/mempool.js"),
    import("bcoin/lib/mining/miner.js"),
    import("bcoin/lib/primitives/block.js"),
    import("bcoin/lib/primitives/tx.js"),
    import("bcoin/lib/primitives/address.js")
  ])
  const regtest = network.default.get("regtest")
  regtest.addressPrefix.bech32 = "bcrt"
  const chain = new chains.default({ network: regtest, memory: true })
  // Like a node, it keeps no refused transaction: none whose coins are unknown.
  const mempool = new mempools.default({
    network: regtest,
    chain,
    memory: true,
    replaceByFee: true,
    rejectAbsurdFees: false,
    maxOrphans: 0
  })
  const verify = mempool.verifyInputs.bind(mempool)
  mempool.verifyInputs = (tx, view, flags) => verify(tx, view, flags & ~DISCOURAGE_NEW_WITNESSES)
  return {
    chain,
    mempool,
    miner: new miners.default({ network: regtest, chain, mempool }),
    bareMiner: new miners.default({ network: regtest, chain }),
    decodeBlock: (raw) => blocks.default.fromRaw(Buffer.from(raw)),
    decodeTransaction: (raw) => transactions.default.fromRaw(Buffer.from(raw)),
    payee: (program) => addresses.default.fromProgram(0, Buffer.from(program))
  }
}

const reasonOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "reason" in cause && typeof cause.reason === "string"
    ? cause.reason
    : undefined

const member = (cause: unknown): string => reasonOf(cause) ?? "rejected"

/** How much more a replacement must pay than the replaced transaction, satoshi for each virtual byte. */
const INCREMENT = 1

/** An input with a sequence up to this one allows the replacement of its transaction. */
const MOST_REPLACEABLE = 0xfffffffd

export class Consensus {
  private readonly bcoin: Bcoin

  private constructor(bcoin: Bcoin) {
    this.bcoin = bcoin
  }

  static async open({ connected, disconnected }: Listener): Promise<Consensus> {
    const bcoin = await load()
    const { chain, mempool } = bcoin
    await chain.open()
    await mempool.open()
    await bcoin.miner.open()
    await bcoin.bareMiner.open()
    chain.on("connect", async (entry, block) => {
      await mempool._addBlock(entry, block.txs)
      connected(entry.height, block.toRaw())
    })
    chain.on("disconnect", async (entry, block) => {
      await mempool._removeBlock(entry, block.txs)
      disconnected(entry.height)
    })
    chain.on("reorganize", () => mempool._handleReorg())
    const genesis = await chain.getBlock(0)
    if (genesis !== null) connected(0, genesis.toRaw())
    return new Consensus(bcoin)
  }

  get height(): number {
    return this.bcoin.chain.height
  }

  /**
   * Mines a block on the best one with the pending transactions. Its reward goes to a P2WPKH program. Its time is
   * `time`, or the next that the rules allow.
   */
  async mine(reward: Uint8Array, time: number): Promise<void> {
    await this.solve(this.bcoin.miner, this.bcoin.chain.tip, reward, time)
  }

  /** The same without any of the pending transactions, which stay pending. */
  async mineEmpty(reward: Uint8Array, time: number): Promise<void> {
    await this.solve(this.bcoin.bareMiner, this.bcoin.chain.tip, reward, time)
  }

  /**
   * Replaces the last `depth` blocks by a branch that is one block longer than the best one. Their transactions are
   * pending again, unless they are dropped for good.
   */
  async reorg(
    depth: number,
    { drop, reward, time }: { readonly drop: boolean; readonly reward: Uint8Array; readonly time: number }
  ): Promise<void> {
    const { chain, mempool } = this.bcoin
    const left: Array<TX> = []
    for (let height = chain.height - depth + 1; height <= chain.height; height += 1) {
      left.push(...((await chain.getBlock(height))?.txs.slice(1) ?? []))
    }
    let tip = await chain.getEntry(chain.height - depth)
    if (tip === null) throw new Error(`there are no ${depth} blocks`)
    for (let block = 0; block <= depth; block += 1) tip = await this.solve(this.bcoin.bareMiner, tip, reward, time)
    if (drop) return mempool.reset()
    for (const transaction of left) await mempool.addTX(transaction).catch(() => null)
  }

  private async solve(miner: Miner, on: ChainEntry, reward: Uint8Array, time: number): Promise<ChainEntry> {
    const job = await miner.cpu.createJob(on, this.bcoin.payee(reward))
    job.attempt.time = Math.max(time, await this.bcoin.chain.getMedianTime(on) + 1)
    job.refresh()
    const entry = await this.bcoin.chain.add(job.mine())
    if (entry === null) throw new Error("the mined block was not taken")
    return entry
  }

  /** Adds a block that was mined before. */
  async accept(raw: Uint8Array): Promise<void> {
    await this.bcoin.chain.add(this.bcoin.decodeBlock(raw))
  }

  /** The pending transactions, in no order. */
  waiting(): ReadonlyArray<
    { readonly id: string; readonly raw: Uint8Array; readonly fee: bigint; readonly size: number }
  > {
    const { mempool } = this.bcoin
    return mempool.getSnapshot().flatMap((hash) => {
      const entry = mempool.getEntry(hash)
      return entry === undefined
        ? []
        : [{ id: entry.tx.txid(), raw: entry.tx.toRaw(), fee: BigInt(entry.fee), size: entry.size }]
    })
  }

  private entryOf(id: string): MempoolEntry | undefined {
    return this.bcoin.mempool.getEntry(Buffer.from(Buffer.from(id, "hex").toReversed()).toString("hex"))
  }

  isWaiting(id: string): boolean {
    return this.entryOf(id) !== undefined
  }

  /** A pending transaction, then those that spend its outputs. Sizes in virtual bytes, fees in satoshi. */
  family(id: string): ReadonlyArray<{ readonly fee: number; readonly size: number }> {
    const entry = this.entryOf(id)
    return entry === undefined ? [] : [entry, ...this.bcoin.mempool.getDescendants(entry)]
  }

  /**
   * Accepts a pending transaction, in place of those that spend the same coins. Throws `RpcRefusal` with Core's
   * message.
   */
  async submit(raw: Uint8Array, fee: bigint | undefined): Promise<string> {
    const { mempool } = this.bcoin
    const transaction = this.decode(raw)
    const replaced = this.replacedBy(transaction, raw, fee)
    // Each takes along what spends it.
    for (const entry of replaced) if (this.isWaiting(entry.tx.txid())) mempool.evictEntry(entry)
    try {
      const missing = await mempool.addTX(transaction)
      if (missing !== null) throw new RpcRefusal(-25, "bad-txns-inputs-missingorspent")
    } catch (cause) {
      await this.restore(replaced.map(({ tx }) => tx))
      if (cause instanceof RpcRefusal) throw cause
      if (reasonOf(cause) === undefined) throw cause
      throw new RpcRefusal(reasonOf(cause) === "txn-already-known" ? -27 : -26, member(cause))
    }
    return transaction.txid()
  }

  /**
   * Why it would be refused, in Core's words. Undefined when it would be accepted. The pending transactions do not
   * change.
   */
  async trial(raw: Uint8Array, fee: bigint | undefined): Promise<string | undefined> {
    const { mempool } = this.bcoin
    const id = this.decode(raw).txid()
    if (this.isWaiting(id)) return "txn-already-in-mempool"
    const before = mempool.getSnapshot().flatMap((hash) => mempool.getEntry(hash)?.tx ?? [])
    try {
      await this.submit(raw, fee)
      return undefined
    } catch (cause) {
      if (!(cause instanceof RpcRefusal)) throw cause
      return cause.code === -25 ? "missing-inputs" : cause.message
    } finally {
      const taken = mempool.getSnapshot().flatMap((hash) => mempool.getEntry(hash) ?? []).find(({ tx }) =>
        tx.txid() === id
      )
      if (taken !== undefined) mempool.evictEntry(taken)
      await this.restore(before)
    }
  }

  /** Makes dropped transactions pending again. A child is added after its parent. */
  private async restore(transactions: ReadonlyArray<TX>): Promise<void> {
    let missing = transactions.filter((tx) => !this.isWaiting(tx.txid()))
    for (let tries = missing.length; tries > 0 && missing.length > 0; tries -= 1) {
      for (const tx of missing) await this.bcoin.mempool.addTX(tx).catch(() => null)
      missing = missing.filter((tx) => !this.isWaiting(tx.txid()))
    }
  }

  private decode(raw: Uint8Array): TX {
    try {
      return this.bcoin.decodeTransaction(raw)
    } catch {
      throw new RpcRefusal(-22, "TX decode failed. Make sure the tx has at least one input.")
    }
  }

  private replacedBy(transaction: TX, raw: Uint8Array, fee: bigint | undefined): ReadonlyArray<MempoolEntry> {
    const conflicts = new Set(
      transaction.inputs.flatMap(({ prevout: { hash, index } }) => this.bcoin.mempool.getSpent(hash, index) ?? [])
    )
    const replaced = [...conflicts].filter(({ tx }) => tx.txid() !== transaction.txid())
    if (replaced.length === 0) return []
    if (!replaced.every(({ tx }) => tx.inputs.some(({ sequence }) => sequence <= MOST_REPLACEABLE))) {
      throw new RpcRefusal(-26, "txn-mempool-conflict")
    }
    // It also pays for what spends their outputs, which is evicted with them.
    const evicted = new Set(replaced.flatMap((entry) => [entry, ...this.bcoin.mempool.getDescendants(entry)]))
    const paid = [...evicted].reduce((sum, entry) => sum + entry.fee, 0)
    if (fee === undefined || fee < BigInt(paid + INCREMENT * Math.ceil(raw.length / 4))) {
      throw new RpcRefusal(-26, "insufficient fee, rejecting replacement")
    }
    return [...evicted]
  }
}
