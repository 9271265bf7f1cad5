/**
 * A transfer from a browser or a server, with the typed client: a verified quote, paid by a wallet, followed to its end.
 *
 * `provider` is a wallet's (EIP-1193): `window.ethereum`, or a library's. `chainsFile` is the JSON of a chains file that
 * is trusted, such as `causeway-kit/configs/chains.<ENVIRONMENT>.json`; `solver` is the account that signs the orders.
 */
import { createClient } from "causeway-kit/client"
import type { IntentStatus } from "causeway-kit/client"
import { ethereumWallet } from "causeway-kit/client/ethereum"
import type { Eip1193Provider } from "causeway-kit/client/ethereum"
import { knownChains, quoteVerifier } from "causeway-kit/client/verify"

export interface Wanted {
  readonly url: string
  readonly provider: Eip1193Provider
  readonly account: string
  readonly chainsFile: unknown
  readonly served: ReadonlyArray<string>
  readonly solver: string
  readonly from: { readonly chainId: number; readonly currency: string; readonly amount: string }
  readonly to: { readonly chainId: number; readonly currency: string }
}

export const transfer = async (wanted: Wanted): Promise<IntentStatus> => {
  const client = createClient({
    url: wanted.url,
    verify: quoteVerifier({ known: knownChains(wanted.chainsFile, { served: wanted.served }), solver: wanted.solver })
  })
  const quote = await client.getQuote({
    user: wanted.account,
    originChainId: wanted.from.chainId,
    originCurrency: wanted.from.currency,
    destinationChainId: wanted.to.chainId,
    destinationCurrency: wanted.to.currency,
    amount: wanted.from.amount,
    tradeType: "EXACT_INPUT"
  })
  const { refundCurrency, refundOnDestination } = quote.details
  console.log(`a refund pays at least ${refundCurrency.minimumAmount} of ${refundCurrency.currency.symbol}`)
  if (refundOnDestination !== undefined) {
    const { currency, minimumAmount } = refundOnDestination
    console.log(`or ${minimumAmount} of ${currency.symbol} to the recipient`)
  }
  const wallet = ethereumWallet({ provider: wanted.provider, account: wanted.account, pollEvery: 200 })
  return await client.execute(quote, wallet, {
    onSent: (step, id) => console.log(`${step.action}: ${id ?? "signed"}`),
    onStatus: ({ status }) => console.log(status)
  })
}
