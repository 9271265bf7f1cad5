/** The methods of Bitcoin Core that the local chain supports, with Core's messages and codes. */
import { Schema } from "effect"
import type { Chain } from "../Chain.ts"
import type { LedgerBlock } from "../Ledger.ts"
import { testMempoolAccept } from "./MempoolAccept.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import { inBitcoin, scriptJson, transactionJson } from "./Transactions.ts"
import { Transaction } from "bitcoinjs-lib"

export type Methods = Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>

const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const isId = Schema.is(Id)
const isHeight = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const isText = Schema.is(Schema.String)

const isTexts = Schema.is(Schema.Array(Schema.String))

const refuse = (code: number, message: string): never => {
  throw new RpcRefusal(code, message)
}

const idOf = (value: unknown, name: string): string => {
  if (!isId(value)) {
    throw new RpcRefusal(-8, `${name} must be of length 64 (not ${String(value).length}, for '${String(value)}')`)
  }
  return value
}

const verbosityOf = (value: unknown, usual: number): number =>
  value === undefined ? usual : typeof value === "boolean" ? Number(value) : isHeight(value) ? value : usual

const blockOf = ({ ledger }: Chain, hash: unknown): LedgerBlock => {
  const block = ledger.block(idOf(hash, "blockhash"))
  if (block === undefined) throw new RpcRefusal(-5, "Block not found")
  return block
}

const headerJson = ({ ledger }: Chain, block: LedgerBlock) => {
  const best = ledger.isBest(block)
  const next = best ? ledger.blocks[block.height + 1]?.hash : undefined
  return {
    hash: block.hash,
    confirmations: best ? ledger.tip.height - block.height + 1 : -1,
    height: block.height,
    version: block.block.version,
    merkleroot: Buffer.from((block.block.merkleRoot ?? new Uint8Array(32)).toReversed()).toString("hex"),
    time: block.block.timestamp,
    bits: block.block.bits.toString(16),
    nonce: block.block.nonce,
    nTx: block.ids.length,
    ...(block.height === 0
      ? {}
      : { previousblockhash: Buffer.from((block.block.prevHash ?? new Uint8Array(32)).toReversed()).toString("hex") }),
    ...(next === undefined ? {} : { nextblockhash: next })
  }
}

const getBlock = (chain: Chain, [hash, verbosity]: ReadonlyArray<unknown>) => {
  const block = blockOf(chain, hash)
  const detail = verbosityOf(verbosity, 1)
  if (detail === 0) return Buffer.from(block.raw).toString("hex")
  const transactions = detail === 1
    ? block.ids
    : (block.block.transactions ?? []).map((each) => transactionJson(chain, each, detail))
  return { ...headerJson(chain, block), size: block.raw.length, tx: transactions }
}

const getRawTransaction = (chain: Chain, [given, verbosity]: ReadonlyArray<unknown>) => {
  const id = idOf(given, "parameter 1")
  const transaction = chain.ledger.transaction(id)
  if (transaction === undefined || (!chain.isWaiting(id) && chain.ledger.placeOf(id) === undefined)) {
    throw new RpcRefusal(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.")
  }
  const detail = verbosityOf(verbosity, 0)
  return detail === 0 ? transaction.toHex() : transactionJson(chain, transaction, detail)
}

const getMempoolEntry = (chain: Chain, [given]: ReadonlyArray<unknown>) => {
  const [own, ...children] = chain.family(idOf(given, "txid"))
  if (own === undefined) throw new RpcRefusal(-5, "Transaction not in mempool")
  const all = [own, ...children]
  return {
    vsize: own.size,
    descendantcount: all.length,
    descendantsize: all.reduce((total, { size }) => total + size, 0),
    fees: {
      base: inBitcoin(BigInt(own.fee)),
      descendant: inBitcoin(BigInt(all.reduce((total, { fee }) => total + fee, 0)))
    }
  }
}

const getTxOut = (chain: Chain, [given, index, mempool = true]: ReadonlyArray<unknown>) => {
  const { ledger } = chain
  const id = idOf(given, "txid")
  const place = ledger.confirmedIn(id)
  const waits = mempool === true && chain.isWaiting(id)
  const transaction = place === undefined && !waits ? undefined : ledger.transaction(id)
  const output = transaction?.outs[Number(index)]
  const waiting = mempool === true &&
    chain.waiting().some(({ raw }) =>
      Transaction.fromBuffer(raw).ins.some((input) =>
        input.index === index && Buffer.from(input.hash.toReversed()).toString("hex") === id
      )
    )
  if (output === undefined || ledger.spenderOf(id, Number(index)) !== undefined || waiting) return null
  return {
    bestblock: ledger.tip.hash,
    confirmations: place === undefined ? 0 : ledger.tip.height - place.height + 1,
    value: inBitcoin(output.value),
    scriptPubKey: scriptJson(output.script),
    coinbase: transaction?.ins[0]?.hash.every((byte) => byte === 0) ?? false
  }
}

const ADDRESS_DESCRIPTOR = /^addr\((?<address>[0-9a-zA-Z]+)\)$/

/** Every unspent output of addresses. There is never a scan to wait for. */
const scanTxOutSet = ({ ledger }: Chain, [action, objects]: ReadonlyArray<unknown>) => {
  if (action === "status") return null
  if (action === "abort") return false
  if (action !== "start") throw new RpcRefusal(-8, `Invalid action '${String(action)}'`)
  if (!isTexts(objects)) throw new RpcRefusal(-1, "scanobjects argument is required for the start action")
  const addresses = objects.map((each) =>
    ADDRESS_DESCRIPTOR.exec(each)?.groups?.["address"] ?? refuse(-5, `'${each}' is not a valid descriptor function`)
  )
  const unspents = addresses.flatMap((address) =>
    ledger.coinsOf(address).map(({ id, index, value }) => ({
      txid: id,
      vout: index,
      amount: inBitcoin(value),
      height: ledger.confirmedIn(id)?.height ?? 0
    }))
  )
  return { success: true, height: ledger.tip.height, bestblock: ledger.tip.hash, unspents }
}

const rawOf = (value: unknown): Uint8Array => {
  if (!isText(value) || !/^(?:[0-9a-f]{2})+$/i.test(value)) {
    throw new RpcRefusal(-22, "TX decode failed. Make sure the tx has at least one input.")
  }
  return Uint8Array.from(Buffer.from(value, "hex"))
}

export const coreMethods = (chain: Chain): Methods => ({
  getblockchaininfo: () => ({
    chain: "regtest",
    blocks: chain.ledger.tip.height,
    headers: chain.ledger.tip.height,
    bestblockhash: chain.ledger.tip.hash,
    time: chain.ledger.tip.block.timestamp,
    initialblockdownload: false,
    pruned: false
  }),
  getblockcount: () => chain.ledger.tip.height,
  getbestblockhash: () => chain.ledger.tip.hash,
  getblockhash: ([height]) => {
    const block = isHeight(height) ? chain.ledger.blocks[height] : undefined
    if (block === undefined) throw new RpcRefusal(-8, "Block height out of range")
    return block.hash
  },
  getblockheader: ([hash, verbose]) => {
    const block = blockOf(chain, hash)
    return verbose === false ? Buffer.from(block.raw.subarray(0, 80)).toString("hex") : headerJson(chain, block)
  },
  getblock: (params) => getBlock(chain, params),
  getrawtransaction: (params) => getRawTransaction(chain, params),
  gettxout: (params) => getTxOut(chain, params),
  scantxoutset: (params) => scanTxOutSet(chain, params),
  getrawmempool: () => chain.waiting().map(({ id }) => id),
  getmempoolentry: (params) => getMempoolEntry(chain, params),
  getmempoolinfo: () => ({
    loaded: true,
    size: chain.waiting().length,
    mempoolminfee: 0.000_01,
    minrelaytxfee: 0.000_01
  }),
  sendrawtransaction: ([raw]) => chain.submit(rawOf(raw)),
  testmempoolaccept: (params) => testMempoolAccept(chain, params),
  estimatesmartfee: ([blocks]) => ({ feerate: 0.000_02, blocks: isHeight(blocks) ? blocks : 1 })
})
