/** How transfers on exchange A name a currency. */
import { Effect } from "effect"
import { exchangeAAddresses } from "../../../src/domain/families/exchange-a/ExchangeAAddresses.ts"
import { PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

/** A currency as transfers name it. */
export interface NamedAsset {
  readonly dex: string
  /** Of the token, as balances and the ledger name it. */
  readonly name: string
  /** "NAME:0x" and the digits of the token's id. */
  readonly token: string
  readonly decimals: number
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
