/** What an account of exchange A can transfer of a currency, as one endpoint shows it. */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const Text = Schema.String.check(Schema.isMaxLength(100))

const decodeSpot = Schema.decodeUnknownEffect(Schema.Struct({
  balances: Schema.Array(Schema.Struct({ coin: Text, total: Text, hold: Text }))
}))
const decodePerps = Schema.decodeUnknownEffect(Schema.Struct({ withdrawable: Text }))

const unitsOf = (text: string, decimals: number): Effect.Effect<bigint, ExchangeAFault> => {
  const units = scaleDecimal(text, decimals)
  return units === undefined ? Effect.fail("undecodable") : Effect.succeed(units)
}

/** What spot holds of a token for an account and does not hold back. `tokenName`: by which its list names the token. */
export const readOnSpot = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    user: Address,
    decimals: number,
    tokenName: string,
    deadline: number
  ): Effect.fn.Return<bigint, ExchangeAFault> {
    const said = yield* client.info({ type: "spotClearinghouseState", user }, deadline)
    const held = (yield* undecodable(decodeSpot(said))).balances.find(({ coin }) => coin === tokenName)
    if (held === undefined) return 0n
    const [total, hold] = [yield* unitsOf(held.total, decimals), yield* unitsOf(held.hold, decimals)]
    return total > hold ? total - hold : 0n
  }
)

/** Of an account with separate balances, smallest units. `tokenName`: as of `readOnSpot`. */
export const readTransferable = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    user: Address,
    { address, decimals }: Pick<Currency, "address" | "decimals">,
    tokenName: string,
    deadline: number
  ): Effect.fn.Return<bigint, ExchangeAFault> {
    const { dex } = assetOf(address)
    if (dex === "spot") return yield* readOnSpot(client, user, decimals, tokenName, deadline)
    const said = yield* client.info({ type: "clearinghouseState", user, dex }, deadline)
    return yield* unitsOf((yield* undecodable(decodePerps(said))).withdrawable, decimals)
  }
)
