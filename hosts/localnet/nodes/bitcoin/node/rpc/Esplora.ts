/** An Esplora explorer of the local chain: its REST paths, below `/api`. Values in satoshi. */
import type { Transaction } from "bitcoinjs-lib"
import type { Said } from "../../../NodeServer.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import type { Chain } from "../Chain.ts"
import { addressIn, spentId } from "../Ledger.ts"

const ok = (body: unknown): Said => ({ status: 200, body })
const missing: Said = { status: 404, body: "Transaction not found" }

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const statusOf = ({ ledger }: Chain, id: string) => {
  const place = ledger.confirmedIn(id)
  return place === undefined
    ? { confirmed: false }
    : { confirmed: true, block_height: place.height, block_hash: place.hash, block_time: place.block.timestamp }
}

/** In the best branch or pending. */
const known = (chain: Chain, id: string): Transaction | undefined =>
  chain.ledger.confirmedIn(id) !== undefined || chain.isWaiting(id) ? chain.ledger.transaction(id) : undefined

const outputJson = ({ script, value }: Transaction["outs"][number]) => ({
  scriptpubkey: hex(script),
  value: Number(value),
  ...(addressIn(script) === undefined ? {} : { scriptpubkey_address: addressIn(script) })
})

const transactionJson = (chain: Chain, transaction: Transaction) => ({
  txid: transaction.getId(),
  version: transaction.version,
  locktime: transaction.locktime,
  vin: transaction.ins.map(({ hash, index, sequence }) => {
    const spent = chain.ledger.transaction(spentId(hash))?.outs[index]
    return {
      txid: spentId(hash),
      vout: index,
      sequence,
      prevout: spent === undefined ? null : outputJson(spent),
      is_coinbase: spent === undefined
    }
  }),
  vout: transaction.outs.map(outputJson),
  size: transaction.byteLength(),
  weight: transaction.weight(),
  fee: Number(chain.ledger.feeOf(transaction) ?? 0n),
  status: statusOf(chain, transaction.getId())
})

/** The spender of a coin, including pending transactions. */
const outspend = (chain: Chain, id: string, index: number) => {
  const spender = chain.ledger.spenderOf(id, index) ?? chain.waiting().flatMap((each) => {
    const input = chain.ledger.transaction(each.id)?.ins.findIndex(({ hash, index: at }) =>
      at === index && spentId(hash) === id
    ) ?? -1
    return input < 0 ? [] : [{ id: each.id, input }]
  })[0]
  return spender === undefined
    ? { spent: false }
    : { spent: true, txid: spender.id, vin: spender.input, status: statusOf(chain, spender.id) }
}

const ofTransaction = (chain: Chain, id: string, rest: ReadonlyArray<string>): Said => {
  const transaction = known(chain, id)
  const [what, index] = rest
  // An explorer says of an unknown coin that it is unspent.
  if (what === "outspend") return ok(outspend(chain, id, Number(index)))
  if (transaction === undefined) return missing
  switch (what) {
    case undefined:
      return ok(transactionJson(chain, transaction))
    case "hex":
      return ok(transaction.toHex())
    case "status":
      return ok(statusOf(chain, id))
    case "outspends":
      return ok(transaction.outs.map((_, at) => outspend(chain, id, at)))
    default:
      return missing
  }
}

/** As explorers list them: the outputs of what waits are coins, too, and what it spends is none. */
const coinsOf = (chain: Chain, address: string) =>
  chain.ledger.idsOf(address).flatMap((id) =>
    (known(chain, id)?.outs ?? []).flatMap(({ script, value }, index) =>
      addressIn(script) === address && !outspend(chain, id, index).spent
        ? [{ txid: id, vout: index, value: Number(value), status: statusOf(chain, id) }]
        : []
    )
  )

const ofAddress = (chain: Chain, address: string, [what, which]: ReadonlyArray<string>): Said => {
  if (what === "utxo") return ok(coinsOf(chain, address))
  if (what !== "txs") return missing
  const ids = chain.ledger.idsOf(address).filter((id) =>
    which === "mempool" ? chain.isWaiting(id) : known(chain, id) !== undefined
  )
  return ok(ids.flatMap((id) => chain.ledger.transaction(id) ?? []).map((each) => transactionJson(chain, each)))
}

const read = (chain: Chain, path: string): Said => {
  const [first, second = "", ...rest] = path.split("/").slice(1)
  const { tip } = chain.ledger
  if (first === "tx") return ofTransaction(chain, second, rest)
  if (first === "address") return ofAddress(chain, second, rest)
  if (path === "/blocks/tip/height") return ok(tip.height)
  if (path === "/blocks/tip/hash") return ok(tip.hash)
  if (path === "/fee-estimates") return ok({ 1: 2, 6: 1 })
  const block = first === "block-height" ? chain.ledger.blocks[Number(second)] : undefined
  return block === undefined ? { status: 404, body: "Block not found" } : ok(block.hash)
}

/** The answer to a request. `path` is without `/api`. */
export const esplora = async (chain: Chain, method: string, path: string, body: string): Promise<Said> => {
  if (method !== "POST") return read(chain, path)
  if (path !== "/tx") return missing
  try {
    return ok(await chain.submit(Uint8Array.from(Buffer.from(body.trim(), "hex"))))
  } catch (cause) {
    if (!(cause instanceof RpcRefusal)) throw cause
    return {
      status: 400,
      body: `sendrawtransaction RPC error: ${JSON.stringify({ code: cause.code, message: cause.message })}`
    }
  }
}
