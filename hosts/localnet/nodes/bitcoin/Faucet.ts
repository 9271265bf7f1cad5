/**
 * Payments by the faucet of a local Bitcoin chain, which owns the rewards of the first blocks. The explorer lists its
 * coins, and the transaction goes to the node.
 */
import { Schema } from "effect"
import { keyOfName } from "./node/LocalKey.ts"
import { signed } from "./node/Payment.ts"
import type { Paid } from "./node/Payment.ts"

/** Where node and explorer of the chain answer. */
export interface BitcoinUrls {
  readonly rpcUrl: string
  readonly explorerUrl: string
}

export const faucet = keyOfName("causeway.local.bitcoin.faucet")

/** Satoshi: for any payment of the faucet. */
const FEE = 10_000n
/** A block reward can be spent after this many blocks. */
const MATURITY = 100

const Coins = Schema.Array(Schema.Struct({
  txid: Schema.String,
  vout: Schema.Int,
  value: Schema.Int,
  status: Schema.Struct({ confirmed: Schema.Boolean, block_height: Schema.optionalKey(Schema.Int) })
}))
const decodeCoins = Schema.decodeUnknownSync(Coins)
const decodeHeight = Schema.decodeUnknownSync(Schema.Int)
const Sent = Schema.Struct({
  result: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.Struct({ message: Schema.String }))
})
const decodeSent = Schema.decodeUnknownSync(Sent)

const get = async (url: string): Promise<unknown> => (await fetch(url)).json()

/** The unspent outputs of an address, in blocks and waiting. */
export const listCoins = async ({ explorerUrl }: BitcoinUrls, owner: string): Promise<typeof Coins.Type> =>
  decodeCoins(await get(`${explorerUrl}/address/${owner}/utxo`))

/** The node's answer to a transaction in hex: its id, or why it is refused. */
const sendRaw = async ({ rpcUrl }: BitcoinUrls, raw: string): Promise<typeof Sent.Type> => {
  const response = await fetch(rpcUrl, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method: "sendrawtransaction", params: [raw] })
  })
  return decodeSent(await response.json())
}

/** The coins that can be spent now, oldest first. */
const spendable = async (urls: BitcoinUrls) => {
  const tip = decodeHeight(await get(`${urls.explorerUrl}/blocks/tip/height`))
  const coins = await listCoins(urls, faucet.address)
  const height = ({ status }: (typeof coins)[number]) => status.block_height ?? Number.POSITIVE_INFINITY
  return coins.filter((coin) => height(coin) + MATURITY <= tip).toSorted((a, b) => height(a) - height(b))
}

/**
 * Sends a payment that returns the rest to the faucet, and answers its id. The node refuses a coin that a pending
 * transaction spends. Then the next coin is tried.
 */
export const payFromFaucet = async (urls: BitcoinUrls, outputs: ReadonlyArray<Paid>): Promise<string> => {
  const wanted = outputs.reduce((sum, { amount }) => sum + amount, 0n)
  let refused = `the faucet has no coin of more than ${wanted} satoshi`
  for (const { txid, value, vout } of await spendable(urls)) {
    const left = BigInt(value) - wanted - FEE
    if (left <= 0n) continue
    const transaction = signed({
      inputs: [{ id: txid, index: vout, value: BigInt(value), key: faucet }],
      outputs: [...outputs, { script: faucet.script, amount: left }]
    })
    const { error, result } = await sendRaw(urls, transaction.toHex())
    if (result !== null) return result
    refused = error?.message ?? "it was refused"
  }
  throw new Error(refused)
}
