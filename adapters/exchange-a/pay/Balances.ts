/** What an account of exchange A can pay out, as one endpoint shows it. */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { exchangeAAddresses } from "../../../src/domain/families/exchange-a/ExchangeAAddresses.ts"
import { PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { PerpsAnswer, SpotAnswer } from "../decode/PaymentAnswers.ts"
import { undecodable } from "../observe/ReadTime.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const decodePerps = Schema.decodeUnknownEffect(PerpsAnswer)
const decodeSpot = Schema.decodeUnknownEffect(SpotAnswer)

/** A currency as transfers name it. */
export interface NamedAsset {
  readonly dex: string
  /** Of the token, as balances and the ledger name it. */
  readonly name: string
  /** "NAME:0x" and the digits of the token's id. */
  readonly token: string
  readonly decimals: number
}

const exact = (text: string, decimals: number): Effect.Effect<bigint, ExchangeAFault> => {
  const amount = scaleDecimal(text, decimals)
  return amount === undefined ? Effect.fail("undecodable") : Effect.succeed(amount)
}

/** The exchange's list of tokens is read only where the name is not known. */
export const readAsset = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    { address }: Pick<Currency, "address">,
    deadline: number
  ): Effect.fn.Return<NamedAsset, ExchangeAFault> {
    const { dex, tokenId } = assetOf(address)
    if (address === exchangeAAddresses.nativeCurrency) {
      return { dex, name: "USDC", token: `USDC:${tokenId}`, decimals: PERPS_DECIMALS }
    }
    const listed = (yield* readTokens(client, deadline)).byId.get(tokenId)
    if (listed?.name === undefined) return yield* Effect.fail("contradiction" as const)
    return { dex, name: listed.name, token: `${listed.name}:${tokenId}`, decimals: listed.weiDecimals }
  }
)

/** Smallest units of the asset. What an order of the account holds is not part of it. */
export const readAvailable = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    user: Address,
    { decimals, dex, name }: Pick<NamedAsset, "decimals" | "dex" | "name">,
    deadline: number
  ): Effect.fn.Return<bigint, ExchangeAFault> {
    if (dex !== "spot") {
      const asked = client.info({ type: "clearinghouseState", user, dex }, deadline)
      const { withdrawable } = yield* undecodable(decodePerps(yield* asked))
      return yield* exact(withdrawable, decimals)
    }
    const { balances } = yield* undecodable(
      decodeSpot(yield* client.info({ type: "spotClearinghouseState", user }, deadline))
    )
    const own = balances.find(({ coin }) => coin === name)
    return own === undefined ? 0n : (yield* exact(own.total, decimals)) - (yield* exact(own.hold, decimals))
  }
)
