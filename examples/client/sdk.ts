/**
 * The same transfer by the public SDK of this kind of API, unmodified: its client is given this service's URL, and takes
 * the chains from it. `wallet` is a wallet client of viem, or what one of the SDK's adapters makes.
 */
import { createClient } from "@relayprotocol/relay-sdk"
import type { AdaptedWallet } from "@relayprotocol/relay-sdk"
import { configureDynamicChains } from "@relayprotocol/relay-sdk/chain-utils"
import type { WalletClient } from "viem"

export interface Ends {
  readonly chainId: number
  readonly currency: string
  readonly amount: string
  readonly toChainId: number
  readonly toCurrency: string
  readonly recipient: string
}

/** Resolves with the request's id when the SDK says that all steps are complete. */
export const transferBySdk = async (url: string, wallet: AdaptedWallet | WalletClient, ends: Ends) => {
  const client = createClient({ baseApiUrl: url, source: "app.example", pollingInterval: 500 })
  await configureDynamicChains()
  const quote = await client.actions.getQuote({ ...ends, wallet, tradeType: "EXACT_INPUT" }, true)
  await client.actions.execute({ quote, wallet })
  return quote.steps.find(({ requestId }) => requestId !== undefined)?.requestId
}
