/** Where an account of exchange A keeps what it can transfer of a currency, as one endpoint shows it (EXCHANGEA-36). */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import { accountModes, sourceDexOf } from "../../../src/domain/families/exchange-a/payment/AccountMode.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { readModeName } from "../observe/ReadMode.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"
import { readOnSpot, readTransferable } from "./Balance.ts"

const decodeMode = Schema.decodeUnknownEffect(Schema.Literals(accountModes))

export interface Source {
  /** As a transfer names it. */
  readonly dex: string
  /** Smallest units. */
  readonly held: bigint
}

/**
 * Spot is spot in every mode, which is then not asked for. A mode that is not known fails the reading: a balance from
 * the wrong place is worse than none. `tokenName`: by which a list of spot balances names the token.
 */
export const readSource = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    user: Address,
    currency: Pick<Currency, "address" | "decimals">,
    tokenName: string,
    deadline: number
  ): Effect.fn.Return<Source, ExchangeAFault> {
    const asset = assetOf(currency.address)
    const mode = asset.dex === "spot"
      ? "default"
      : yield* undecodable(decodeMode(yield* readModeName(client, user, deadline)))
    const dex = sourceDexOf(mode, asset)
    const held = dex === asset.dex
      ? yield* readTransferable(client, user, currency, tokenName, deadline)
      : yield* readOnSpot(client, user, currency.decimals, tokenName, deadline)
    return { dex, held }
  }
)
