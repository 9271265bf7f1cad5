/** A host that is killed around a payment on Tron, where a second payment could arise, pays once after its restart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { toEvm } from "../../../localnet/nodes/tron/node/Account.ts"
import { execute, quote } from "../../testing/Client.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n

type Network = Effect.Success<typeof startTronNetwork>

/** What a transfer ends as, and how much then arrives on Tron. */
interface Begun {
  readonly request: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
  readonly pay: Effect.Effect<unknown>
  readonly ends: "success" | "refund"
  readonly currency: string
  readonly least: bigint
}

/** Ether for a currency of the chain. */
const fillOf = (currency: string) =>
  Effect.fnUntraced(function*({ chains, key }: Network, url: string, recipient: string) {
    const quoted = yield* quote(
      url,
      toTron(privateKeyToAddress(key(0)), recipient, chains.alpha.chainId, currency)
    )
    return {
      request: quoted,
      pay: execute(chains.alpha, key(0), quoted),
      ends: "success",
      currency,
      least: BigInt(quoted.details.currencyOut.amount)
    } satisfies Begun
  })

/** TRX that are returned. */
const refund = Effect.fnUntraced(function*({ chains, fresh, tron }: Network, url: string, refundTo: string) {
  const user = yield* tron.wallet("somebody")
  const quoted = yield* quoteTron(
    url,
    fromTron(user, fresh(), [chains.alpha.chainId, NATIVE], [TRX, 100n * ONE], {
      referrer: "force-refund",
      refundOnOrigin: true,
      refundTo
    })
  )
  return {
    request: quoted,
    pay: Effect.andThen(carriedOut(user, quoted), tron.mine()),
    ends: "refund",
    currency: TRX,
    least: 85n * ONE
  } satisfies Begun
})

/** What the chain does while no host runs: nothing, or so much that what was signed can be in no block any more. */
type Meanwhile = "nothing" | "expires"

const places = [
  [fillOf(TRX), "Payments.signOnce fill:after", "nothing"],
  [fillOf(usdt), "Treasury.broadcast:after", "nothing"],
  [refund, "Payments.signOnce refund:after", "nothing"],
  [fillOf(TRX), "Payments.signOnce fill:after", "expires"]
] as const

const pass = ({ tron }: Network, meanwhile: Meanwhile) =>
  meanwhile === "nothing" ? Effect.void : Effect.promise(() => {
    tron.chain.wait(Date.now() + 11 * 60_000)
    return tron.chain.mine(21)
  })

/** How many transactions in blocks gave the account something. */
const paymentsTo = ({ tron }: Network, account: string): number => {
  const digits = toEvm(account).slice(2)
  return [...tron.chain.ledger.from(1, tron.chain.ledger.tip.number)].flatMap(({ executed }) => executed).filter((
    { transaction: { raw_data_hex } }
  ) => raw_data_hex.includes(digits)).length
}

describe("a host that is killed around a payment on Tron", () => {
  it.live("has paid or refunded exactly once after the restart", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startTronNetwork
      const { heldOnTron, startHost, tron, whileMining } = network
      for (const [begin, place, meanwhile] of places) {
        const recipient = newTronAddress()
        const killed = yield* startHost({ FAILPOINT: place })
        const { currency, ends, least, pay, request } = yield* begin(network, killed.url, recipient)
        yield* pay
        assert.strictEqual(yield* killed.ended, "SIGKILL", place)
        tally("kills", 1)
        yield* pass(network, meanwhile)
        const host = yield* startHost()
        const ended = yield* whileMining(endedAnywhere(host.url, request))
        assert.strictEqual(ended.status, ends, place)
        // Nothing more comes, however long it goes on.
        yield* tron.mine(25)
        yield* host.kill("SIGTERM")
        const held = yield* heldOnTron(currency, recipient)
        assert.isTrue(ends === "success" ? held === least : held >= least && held < 100n * ONE, `${place}: ${held}`)
        assert.strictEqual(paymentsTo(network, recipient), 1, place)
      }
    })))
})
