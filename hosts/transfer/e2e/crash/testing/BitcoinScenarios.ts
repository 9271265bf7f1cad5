/** Transfers from and to Bitcoin that crash tests begin, each to an account that has no other income. */
import { Effect } from "effect"
import { parseEther } from "viem"
import { bitcoinChainId } from "../../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { bitcoinAddressFor, newBitcoinAddress, payBitcoin } from "../../../testing/BitcoinAddressed.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER } from "../../../testing/BitcoinNetwork.ts"
import type { startBitcoinNetwork } from "../../../testing/BitcoinNetwork.ts"
import { execute, quote } from "../../../testing/Client.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

/** Satoshi. */
const QUOTED = 5_000_000n

export type BitcoinNetwork = Effect.Success<typeof startBitcoinNetwork>

/**
 * What a transfer ends as, and how much then arrives: exactly that much of a success, at least that much of a refund.
 * `address`: where it is paid by a plain payment, which is swept once.
 */
export interface Begun {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  readonly pay: Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  readonly least: bigint
  readonly address?: string
  /** What is returned beside a success, less its fee. The account has no other income. */
  readonly excess?: { readonly to: string; readonly amount: bigint }
}

/** Ether for bitcoin. */
export const fill = Effect.fnUntraced(function*({ chains, key, user }: BitcoinNetwork, url: string, recipient: string) {
  const quoted = yield* quote(url, {
    user: user(0),
    recipient,
    originChainId: chains.alpha.chainId,
    destinationChainId: bitcoinChainId,
    originCurrency: NATIVE,
    destinationCurrency: BTC,
    amount: `${parseEther("0.5")}`,
    tradeType: "EXACT_INPUT"
  })
  return {
    request: quoted,
    pay: execute(chains.alpha, key(0), quoted),
    ends: "success",
    least: BigInt(quoted.details.currencyOut.amount)
  } satisfies Begun
})

/** Bitcoin for ether. */
export const leave = Effect.fnUntraced(
  function*({ bitcoin, chains, wallet }: BitcoinNetwork, url: string, recipient: string) {
    const sender = yield* wallet("P2WPKH", 9_000_000n)
    const quoted = yield* quoteBitcoin(url, fromBitcoin(sender, recipient, [chains.alpha.chainId, NATIVE], QUOTED))
    return {
      request: quoted,
      pay: Effect.andThen(deposited(bitcoin, sender, quoted), bitcoin.mine()),
      ends: "success",
      least: BigInt(quoted.details.currencyOut.amount)
    } satisfies Begun
  }
)

/** Bitcoin that is returned. */
export const refund = Effect.fnUntraced(
  function*({ bitcoin, chains, fresh, wallet }: BitcoinNetwork, url: string, refundTo: string) {
    const sender = yield* wallet("P2WPKH", 9_000_000n)
    const quoted = yield* quoteBitcoin(
      url,
      fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], QUOTED, {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo
      })
    )
    return {
      request: quoted,
      pay: Effect.andThen(deposited(bitcoin, sender, quoted), bitcoin.mine()),
      ends: "refund",
      least: QUOTED - 2_000n
    } satisfies Begun
  }
)

/** A strict deposit address for ether, and a payment there that comes deep enough to be swept. */
const atAddress = Effect.fnUntraced(
  function*({ bitcoin, chains }: BitcoinNetwork, url: string, recipient: string, refundTo: string, sent: bigint) {
    const { depositAddress, quoted } = yield* bitcoinAddressFor(
      url,
      fromBitcoin({ address: newBitcoinAddress() }, recipient, [chains.alpha.chainId, NATIVE], QUOTED, {
        strict: true,
        refundTo
      })
    )
    return {
      quoted,
      address: depositAddress,
      pay: Effect.andThen(payBitcoin(bitcoin, depositAddress, sent), bitcoin.mine(FINAL_AFTER + 1))
    }
  }
)

/** Bitcoin that is sent to a deposit address and returned: it is swept once, and refunded once. */
export const sweep = Effect.fnUntraced(function*(network: BitcoinNetwork, url: string, refundTo: string) {
  // A satoshi too little.
  const { address, pay, quoted } = yield* atAddress(network, url, network.fresh(), refundTo, QUOTED - 1n)
  return { request: quoted, pay, ends: "refund", least: QUOTED - 3_000n, address } satisfies Begun
})

/** More bitcoin than quoted is sent to a deposit address: the quoted amount is filled, and the excess returned. */
export const excess = Effect.fnUntraced(function*(network: BitcoinNetwork, url: string, recipient: string) {
  const [to, amount] = [newBitcoinAddress(), 200_000n]
  const { address, pay, quoted } = yield* atAddress(network, url, recipient, to, QUOTED + amount)
  return {
    request: quoted,
    pay,
    ends: "success",
    least: BigInt(quoted.details.currencyOut.amount),
    address,
    excess: { to, amount }
  } satisfies Begun
})
