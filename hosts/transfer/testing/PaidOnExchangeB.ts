/** Transfers to exchange B: from ether on an EVM chain to USDC, and what arrives. */
import { Effect } from "effect"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { EXCHANGE_B_CHAIN_ID } from "../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { isExecuted } from "../../localnet/nodes/exchange-b/node/Shown.ts"
import type { State } from "../../localnet/nodes/exchange-b/node/State.ts"
import { rowsBeside } from "./BesideStore.ts"
import { execute, quote } from "./Client.ts"
import type { Network } from "./TransferNetwork.ts"

const ETHER = "0x0000000000000000000000000000000000000000"

/** USDC on perps, and on spot. */
export const [PERPS, SPOT] = ["0", "3"] as const

const USDC = 3

/** Smallest units of USDC that an account has there. */
export const heldOnExchangeB = (state: State, currency: string, index: number): bigint =>
  BigInt(state.balance(index, USDC, currency === PERPS ? 0 : 1))

/** How often an account was paid. */
export const transfersTo = (state: State, index: number): number =>
  state.sent.filter((each) => isExecuted(each) && each.info.ToAccountIndex === index).length

/** An account of an owner of its own, without any money. */
export const openOn = (state: State): number => {
  const index = Math.max(...state.owners.keys()) + 1
  state.open(index, privateKeyToAddress(generatePrivateKey()))
  return index
}

export const bodyOf = ({ chains, user }: Network, currency: string, recipient: number, index: number) => ({
  user: user(index),
  recipient: `${recipient}`,
  originChainId: chains.alpha.chainId,
  destinationChainId: EXCHANGE_B_CHAIN_ID,
  originCurrency: ETHER,
  destinationCurrency: currency,
  amount: `${parseEther("0.05")}`,
  tradeType: "EXACT_INPUT"
})

/** Ether of a user for USDC. */
export const toExchangeB = Effect.fnUntraced(
  function*(network: Network, url: string, [currency, recipient]: readonly [string, number], index: number) {
    const quoted = yield* quote(url, bodyOf(network, currency, recipient, index))
    return {
      recipient,
      currency,
      quoted,
      amount: BigInt(quoted.details.currencyOut.amount),
      pay: execute(network.chains.alpha, network.key(index), quoted)
    }
  }
)

/** The payments on the exchange that a store has, as they were signed, oldest first. */
export const signedOnExchangeB = (store: string) =>
  Effect.map(
    rowsBeside(store, "SELECT raw FROM payments WHERE chain_id = ? ORDER BY signed_at", EXCHANGE_B_CHAIN_ID),
    (rows) => rows.map(({ raw }) => String(raw))
  )
