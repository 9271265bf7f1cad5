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

export type BitcoinNetwork = Effect.Success<typeof startBitcoinNetwork>

/** What a transfer ends as, and how much then arrives: exactly that much of a success, at least that much of a refund. */
export interface Begun {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  readonly pay: Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  readonly least: bigint
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
    const quoted = yield* quoteBitcoin(url, fromBitcoin(sender, recipient, [chains.alpha.chainId, NATIVE], 5_000_000n))
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
      fromBitcoin(sender, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
        referrer: "force-refund",
        refundOnOrigin: true,
        refundTo
      })
    )
    return {
      request: quoted,
      pay: Effect.andThen(deposited(bitcoin, sender, quoted), bitcoin.mine()),
      ends: "refund",
      least: 5_000_000n - 2_000n
    } satisfies Begun
  }
)

/** Bitcoin that is sent to a deposit address and returned: it is swept once, and refunded once. */
export const sweep = Effect.fnUntraced(
  function*({ bitcoin, chains, fresh }: BitcoinNetwork, url: string, refundTo: string) {
    const { depositAddress, quoted } = yield* bitcoinAddressFor(
      url,
      fromBitcoin({ address: newBitcoinAddress() }, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
        strict: true,
        refundTo
      })
    )
    return {
      request: quoted,
      // A satoshi too little.
      pay: Effect.andThen(payBitcoin(bitcoin, depositAddress, 4_999_999n), bitcoin.mine(FINAL_AFTER + 1)),
      ends: "refund",
      least: 4_999_999n - 3_000n
    } satisfies Begun
  }
)
