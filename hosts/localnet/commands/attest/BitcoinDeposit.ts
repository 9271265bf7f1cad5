/**
 * A deposit of bitcoin by bitcoinjs-lib. Spends the faucet's coins, with one output for the depository, one with the id
 * (OP_RETURN), and the change to the faucet. The explorer lists the coins, and the transaction goes to the node.
 */
import { address as addresses, networks } from "bitcoinjs-lib"
import { Effect, Schema } from "effect"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { keyOf } from "../../nodes/bitcoin/node/LocalKey.ts"
import { saying, signed } from "../../nodes/bitcoin/node/Payment.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"

const FEE = 1_000n
/** A block reward can be spent after this many blocks. */
const MATURITY = 100

const Coins = Schema.Array(Schema.Struct({
  txid: Schema.String,
  vout: Schema.Int,
  value: Schema.Int,
  status: Schema.Struct({ confirmed: Schema.Boolean, block_height: Schema.optionalKey(Schema.Int) })
}))
const Sent = Schema.Struct({
  result: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.Struct({ message: Schema.String }))
})

const get = async (url: string): Promise<unknown> => (await fetch(url)).json()

const send = async (rpcUrl: string, raw: string): Promise<typeof Sent.Type> => {
  const response = await fetch(rpcUrl, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method: "sendrawtransaction", params: [raw] })
  })
  return Schema.decodeUnknownSync(Sent)(await response.json())
}

/** The coins that can be spent now, oldest first. */
const coinsOf = async (explorerUrl: string, owner: string) => {
  const tip = Schema.decodeUnknownSync(Schema.Int)(await get(`${explorerUrl}/blocks/tip/height`))
  const coins = Schema.decodeUnknownSync(Coins)(await get(`${explorerUrl}/address/${owner}/utxo`))
  const height = ({ status }: (typeof coins)[number]) => status.block_height ?? Number.POSITIVE_INFINITY
  return coins.filter((coin) => height(coin) + MATURITY <= tip).toSorted((a, b) => height(a) - height(b))
}

/** The node refuses a coin that a pending transaction spends. Then the next coin is tried. */
const payIn = async (
  { depository, explorerUrl, faucet, rpcUrl }: NonNullable<Localnet["bitcoin"]>,
  amount: bigint,
  id: Hex32
): Promise<string> => {
  const key = keyOf(Uint8Array.from(Buffer.from(faucet.privateKey, "hex")))
  let refused = `the faucet has no coin of more than ${amount} satoshi`
  for (const { txid, value, vout } of await coinsOf(explorerUrl, faucet.address)) {
    const left = BigInt(value) - amount - FEE
    if (left <= 0n) continue
    const transaction = signed({
      inputs: [{ id: txid, index: vout, value: BigInt(value), key }],
      outputs: [{ script: addresses.toOutputScript(depository.address, networks.regtest), amount }, saying(id), {
        script: key.script,
        amount: left
      }]
    })
    const { error, result } = await send(rpcUrl, transaction.toHex())
    if (result !== null) return result
    refused = error?.message ?? "it was refused"
  }
  throw new Error(refused)
}

export const deposit = (chain: NonNullable<Localnet["bitcoin"]>, amount: bigint, id: Hex32) =>
  Effect.tryPromise({
    try: async () => ({ transactionId: await payIn(chain, amount, id), depositor: chain.faucet.address }),
    catch: (cause) => new LocalnetError({ message: `the deposit on ${chain.id} failed: ${reasonOf(cause)}` })
  })
