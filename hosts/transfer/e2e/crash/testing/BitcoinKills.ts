/**
 * Kills a host around payments and sweeps on Bitcoin, where a second one could arise. After its restart each is made
 * once, and the doctor finds nothing.
 */
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import { bitcoinChainId } from "../../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { diagnose } from "../../../operations/Diagnosis.ts"
import { bitcoinAddressFor, payBitcoin } from "../../../testing/BitcoinAddressed.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../../testing/BitcoinClient.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../../testing/BitcoinNetwork.ts"
import { execute, quote } from "../../../testing/Client.ts"
import { slowingBlocks } from "../../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../../testing/SolanaClient.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

type Network = Effect.Success<typeof startBitcoinNetwork>

/** What a transfer ends as, and how much then arrives on Bitcoin. */
interface Begun {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  readonly pay: Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  readonly least: bigint
}

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** Ether for bitcoin. */
const fill = Effect.fnUntraced(function*({ chains, key, user }: Network, url: string, recipient: string) {
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

/** Bitcoin that is returned. */
const refund = Effect.fnUntraced(
  function*({ bitcoin, chains, fresh, wallet }: Network, url: string, refundTo: string) {
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
const sweep = Effect.fnUntraced(function*({ bitcoin, chains, fresh }: Network, url: string, refundTo: string) {
  const { depositAddress, quoted } = yield* bitcoinAddressFor(
    url,
    fromBitcoin({ address: newAddress() }, fresh(), [chains.alpha.chainId, NATIVE], 5_000_000n, {
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
})

const places = [
  [sweep, "Payments.signOnce sweep:after"],
  [sweep, "Payments.recordSent sweep:before"],
  [fill, "Payments.signOnce fill:after"],
  [fill, "Treasury.broadcast:after"],
  [refund, "Payments.signOnce refund:after"]
] as const

/** At the chosen places, one after the other, over one store. */
export const killOnBitcoin = (chosen: (place: string) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const network = yield* startBitcoinNetwork
    const { bitcoin, heldOnBitcoin, startHost } = network
    for (const [begin, place] of places.filter(([, each]) => chosen(each))) {
      const recipient = newAddress()
      const killed = yield* startHost({ FAILPOINT: place })
      const { ends, least, pay, request } = yield* begin(network, killed.url, recipient)
      yield* pay
      assert.strictEqual(yield* killed.ended, "SIGKILL", place)
      tally("kills", 1)
      const host = yield* startHost()
      const mining = slowingBlocks(bitcoin.mine())
      const ended = yield* Effect.raceFirst(endedAnywhere(host.url, request), mining)
      assert.strictEqual(ended.status, ends, place)
      // Nothing more comes, however long it goes on.
      yield* bitcoin.mine(7)
      yield* host.kill("SIGTERM")
      assert.lengthOf(bitcoin.chain.ledger.idsOf(recipient), 1, place)
      const held = heldOnBitcoin(recipient)
      assert.isTrue(ends === "success" ? held === least : held >= least, `${place}: ${held}`)
    }
    const { findings } = yield* Effect.provideService(
      diagnose(undefined),
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown(network.environment)
    ).pipe(Effect.orDie)
    assert.deepStrictEqual(findings.filter(({ kind }) => kind !== "overdue-request"), [])
  }))
