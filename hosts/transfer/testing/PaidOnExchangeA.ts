/** Transfers to exchange A: from ether on an EVM chain to USDC, and what arrives. */
import { Effect } from "effect"
import { parseEther } from "viem"
import { EXCHANGE_A_CHAIN_ID } from "../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import type { Book } from "../../localnet/nodes/exchange-a/node/Book.ts"
import { USDC } from "../../localnet/nodes/exchange-a/node/Token.ts"
import { execute, quote } from "./Client.ts"
import type { Network } from "./TransferNetwork.ts"

const ETHER = "0x0000000000000000000000000000000000000000"

/** USDC on perps, and on spot. */
export const PERPS = `0x${"0".repeat(32)}`
export const SPOT = USDC.tokenId

/** Smallest units of USDC that an account has there. */
export const heldOnExchange = (book: Book, currency: string, of: string): bigint =>
  book.balance(of, currency === PERPS ? "" : "spot")

/** What an account has got, each time. */
export const paymentsTo = (book: Book, account: string): number =>
  book.all().filter(({ action, error }) =>
    error === null && "destination" in action && action.destination === account.toLowerCase()
  ).length

/** A request of a user: ether for USDC. */
export const requestTo = (
  { chains, user }: Pick<Network, "chains" | "user">,
  [currency, recipient]: readonly [string, string],
  index: number
) => ({
  user: user(index),
  recipient,
  originChainId: chains.alpha.chainId,
  destinationChainId: EXCHANGE_A_CHAIN_ID,
  originCurrency: ETHER,
  destinationCurrency: currency,
  amount: `${parseEther("0.05")}`,
  tradeType: "EXACT_INPUT"
})

/** Its quote, and what pays it. */
export const toExchangeA = Effect.fnUntraced(
  function*(
    network: Network,
    url: string,
    [currency, recipient]: readonly [string, string],
    index: number
  ) {
    const { chains, key } = network
    const quoted = yield* quote(url, requestTo(network, [currency, recipient], index))
    return {
      recipient,
      currency,
      quoted,
      amount: BigInt(quoted.details.currencyOut.amount),
      pay: execute(chains.alpha, key(index), quoted)
    }
  }
)
