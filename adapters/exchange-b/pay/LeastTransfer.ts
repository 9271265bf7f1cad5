/**
 * The least that exchange B transfers to another owner (EXCHANGEB-26), as endpoints list it with the currency's asset.
 *
 * The list is the exchange's own and changes rarely, so it is asked for again only after some minutes. A least that was
 * raised meanwhile is found out by the payment, which the exchange then refuses.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { assetOf } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { AssetsAnswer } from "../decode/NodeAnswers.ts"
import { undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault, ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"

const decodeAssets = Schema.decodeUnknownEffect(AssetsAnswer)

/** Milliseconds. */
const KEPT_MS = 300_000

/** By the number of the asset. */
type Leasts = ReadonlyMap<bigint, string>

const kept = new WeakMap<ExchangeBClient, { readonly at: number; readonly leasts: Leasts }>()

const readLeasts = Effect.fnUntraced(
  function*(client: ExchangeBClient, deadline: number): Effect.fn.Return<Leasts, ExchangeBFault> {
    const now = yield* elapsedMillis
    const known = kept.get(client)
    if (known !== undefined && now < known.at + KEPT_MS) return known.leasts
    const { asset_details: assets } = yield* undecodable(decodeAssets(yield* client.assets(deadline)))
    const leasts = new Map(
      assets.flatMap(({ asset_id, min_transfer_amount: least }) =>
        typeof least === "string" ? [[BigInt(asset_id), least] as const] : []
      )
    )
    kept.set(client, { at: now, leasts })
    return leasts
  }
)

/** Smallest units of the currency. Zero where the exchange names none. */
export const readLeast = (
  client: ExchangeBClient,
  { address, decimals }: Pick<Currency, "address" | "decimals">,
  deadline: number
): Effect.Effect<bigint, ExchangeBFault> =>
  Effect.flatMap(readLeasts(client, deadline), (leasts): Effect.Effect<bigint, ExchangeBFault> => {
    const text = leasts.get(assetOf(address).assetIndex)
    const least = text === undefined ? 0n : scaleDecimal(text, decimals)
    return least === undefined ? Effect.fail("undecodable") : Effect.succeed(least)
  })

/**
 * The same for what is due: the lowest that as many hosts name as the quorum needs. SECURITY: what is below it ends
 * unpaid, and a refund too small for the chain ends without an alarm. One host that names too much must not decide that;
 * one that names too little makes a payment that the exchange refuses (EXCHANGEB-30).
 */
export const agreedLeast = (
  rpc: ExchangeBRpc["Service"],
  chain: Chain,
  currency: Pick<Currency, "address" | "decimals">
) =>
  Effect.map(
    rpc.several(
      chain,
      "least payment",
      ({ read }) => read((client, deadline) => readLeast(client, currency, deadline))
    ),
    (named) => named.map(({ answer }) => answer).reduce(minOf)
  )
