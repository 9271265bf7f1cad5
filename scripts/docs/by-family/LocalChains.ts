/**
 * A chain of each family, as a service on the local network has them, for pages that say what a request ends as there.
 * No endpoint is ever asked.
 */
import { ConfigProvider, Effect } from "effect"
import { families } from "../../../hosts/families.ts"
import { loadMarket } from "../../../hosts/configuration/LoadChains.ts"
import { quoteExamples } from "../../../hosts/transfer/endpoints/quote/QuoteExamples.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FamilyName } from "../../../src/domain/chain/VmFamily.ts"

const NOWHERE = "http://127.0.0.1:1"

const environment = {
  ALPHA_RPC_URL: NOWHERE,
  BETA_RPC_URL: NOWHERE,
  SOLANA_RPC_URL: NOWHERE,
  SOLANA_GENESIS_HASH: "11111111111111111111111111111111",
  BITCOIN_RPC_URL: NOWHERE,
  TRON_RPC_URL: NOWHERE,
  EXCHANGEA_RPC_URL: NOWHERE,
  EXCHANGEA_DEPOSITORY: "0x00000000000000000000000000000000000000d1",
  EXCHANGEB_RPC_URL: NOWHERE,
  EXCHANGEB_DEPOSITORY: "1000"
}

const slugs = ["alpha", "beta", "solana-local", "bitcoin-local", "exchangea-local", "exchangeb-local", "tron-local"]

/** Every chain of the local network. */
export const localChains: ReadonlyArray<Chain> = await Effect.runPromise(
  Effect.map(loadMarket("local", slugs), ({ chains }) => chains).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )
)

/** In the order of all pages. */
export const familyNames: ReadonlyArray<FamilyName> = families.map(({ rules }) => rules.name)

export const chainsOf = (family: FamilyName): ReadonlyArray<Chain> =>
  localChains.filter((chain) => chain.family.name === family)

/** An account there: the user of one of the OpenAPI document's examples. */
export const accountOn = ({ family, name }: Chain): string => {
  const ids = chainsOf(family.name).map(({ id }) => id)
  const example = Object.values(quoteExamples).find(({ value }) => ids.some((id) => id === value.originChainId))
  if (example === undefined) throw new Error(`no example begins on ${name}`)
  return example.value.user
}
