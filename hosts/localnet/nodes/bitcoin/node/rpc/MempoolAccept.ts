/** `testmempoolaccept` as Bitcoin Core answers it, for one transaction: Core would judge several as a package. */
import { Schema } from "effect"
import type { Chain, Trial } from "../Chain.ts"
import { RpcRefusal } from "../../../RpcRefusal.ts"
import { inBitcoin } from "./Transactions.ts"

/** Satoshi for a thousand virtual bytes: 0.1 BTC, Core's own limit. */
const MOST_FEE_RATE = 10_000_000n

const isList = Schema.is(Schema.Array(Schema.Unknown))
const isRate = Schema.is(
  Schema.Union([Schema.Finite, Schema.String.check(Schema.isPattern(/^\d{1,8}(?:\.\d{1,8})?$/))])
)

/** Satoshi for a thousand virtual bytes. No limit for 0. */
const boundOf = (value: unknown): bigint | undefined => {
  if (value === undefined || value === null) return MOST_FEE_RATE
  if (!isRate(value) || Number(value) < 0) throw new RpcRefusal(-3, "Amount is not a number or string")
  const rate = BigInt(Math.round(Number(value) * 100_000_000))
  return rate === 0n ? undefined : rate
}

const rawOf = (value: unknown): Uint8Array => {
  const text = String(value)
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) {
    throw new RpcRefusal(-22, `TX decode failed: ${text} Make sure the tx has at least one input.`)
  }
  return Uint8Array.from(Buffer.from(text, "hex"))
}

const answerOf = ({ fee, refused, transaction }: Trial, bound: bigint | undefined) => {
  const [txid, wtxid, vsize] = [
    transaction.getId(),
    Buffer.from(transaction.getHash(true).toReversed()).toString("hex"),
    transaction.virtualSize()
  ]
  const rate = fee * 1_000n / BigInt(vsize)
  const reason = refused ?? (bound !== undefined && rate > bound ? "max-fee-exceeded" : undefined)
  if (reason !== undefined) return { txid, wtxid, allowed: false, "reject-reason": reason }
  return {
    txid,
    wtxid,
    allowed: true,
    vsize,
    fees: { base: inBitcoin(fee), "effective-feerate": inBitcoin(rate), "effective-includes": [wtxid] }
  }
}

export const testMempoolAccept = async (
  chain: Chain,
  [given, maxFeeRate]: ReadonlyArray<unknown>
): Promise<unknown> => {
  if (!isList(given)) throw new RpcRefusal(-3, "JSON value of type string is not of expected type array")
  const [first, ...others] = given
  if (first === undefined || others.length >= 25) {
    throw new RpcRefusal(-8, "Array must contain between 1 and 25 transactions.")
  }
  if (others.length > 0) throw new RpcRefusal(-8, "this chain judges one transaction at a time, no packages")
  const bound = boundOf(maxFeeRate)
  return [answerOf(await chain.trial(rawOf(first)), bound)]
}
