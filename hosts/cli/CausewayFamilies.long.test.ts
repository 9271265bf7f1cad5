/** `causeway transfer` from chains of other families, each signed by the family's own library, to the unit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { bitcoinSlug } from "../localnet/nodes/bitcoin/BitcoinChain.ts"
import { exchangeASlug } from "../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { exchangeBSlug } from "../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { keyOf } from "../localnet/nodes/bitcoin/node/LocalKey.ts"
import { walletText } from "../localnet/nodes/solana/SolanaKeys.ts"
import { solanaSlug } from "../localnet/nodes/solana/SolanaChain.ts"
import { tronSlug } from "../localnet/nodes/tron/TronChain.ts"
import { startBitcoinNetwork } from "../transfer/testing/BitcoinNetwork.ts"
import { startExchangeANetwork } from "../transfer/testing/ExchangeANetwork.ts"
import { startExchangeBNetwork } from "../transfer/testing/ExchangeBNetwork.ts"
import { startFixture } from "../transfer/testing/Fixture.ts"
import { slowingBlocks } from "../transfer/testing/SlowingBlocks.ts"
import { startSolanaNetwork } from "../transfer/testing/SolanaNetwork.ts"
import type { TestChains } from "../transfer/testing/TestChains.ts"
import { ETH, held } from "../transfer/testing/Tokens.ts"
import { startTronNetwork } from "../transfer/testing/TronNetwork.ts"
import { runCommand } from "./testing/RunCommand.ts"

const Delivered = Schema.Struct({ status: Schema.String, sent: Schema.Array(Schema.String) })
const decodeDelivered = Schema.decodeUnknownSync(Schema.fromJsonString(Delivered))

interface Origin {
  readonly slug: string
  readonly amount: string
  readonly key: string
  readonly node: string
}

/** From this chain to ether on alpha. */
const moves = Effect.fnUntraced(function*(
  { chains, fresh, url }: { readonly chains: TestChains; readonly fresh: () => `0x${string}`; readonly url: string },
  { amount, key, node, slug }: Origin
) {
  const recipient = fresh()
  const ends = ["--from", slug, "--to", "alpha", "--amount", amount, "--recipient", recipient, "--rpc-url", node]
  const ran = yield* runCommand(["transfer", ...ends, "--url", url, "--trust", "--json"], { WALLET_PRIVATE_KEY: key })
  assert.strictEqual(ran.code, 0, ran.error + ran.out)
  const { sent, status } = decodeDelivered(ran.out)
  assert.deepStrictEqual([status, sent.length], ["success", 1])
  const delivers = /^delivers +(\d+)\.(\d+) ETH/mu.exec(ran.error) ?? assert.fail(ran.error)
  const units = BigInt(`${delivers[1]}${(delivers[2] ?? "").padEnd(18, "0")}`)
  assert.strictEqual(yield* held(chains.alpha, ETH, recipient), units)
})

describe("causeway transfer", () => {
  it.live("from Solana, by kit", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startSolanaNetwork())
      const user = running.solanaUsers[0] ?? assert.fail("no user")
      yield* moves(running, { slug: solanaSlug, amount: "1", key: walletText(user), node: running.solana.url })
    }).pipe(Effect.scoped), 120_000)

  it.live("from Bitcoin, by bitcoinjs-lib", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startBitcoinNetwork)
      const { bitcoin, give } = running
      const key = keyOf(new Uint8Array(randomBytes(32)))
      yield* give(key.script, 100_000_000n)
      const paid = moves(running, {
        slug: bitcoinSlug,
        amount: "0.01",
        key: Buffer.from(key.privateKey).toString("hex"),
        node: bitcoin.explorerUrl
      })
      yield* Effect.raceFirst(paid, slowingBlocks(bitcoin.mine()))
    }).pipe(Effect.scoped), 120_000)

  it.live("from exchange A, by viem", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startExchangeANetwork)
      const { exchangeUrl, walletKey } = running
      yield* moves(running, { slug: exchangeASlug, amount: "100", key: walletKey, node: exchangeUrl })
    }).pipe(Effect.scoped), 120_000)

  it.live("from exchange B, by the exchange's public SDK", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startExchangeBNetwork)
      const { exchangeUrl, wallet: { index, owner } } = running
      const key = `${index}:2:0x${"12".repeat(40)}:${owner}`
      yield* moves(running, { slug: exchangeBSlug, amount: "100", key, node: exchangeUrl })
    }).pipe(Effect.scoped), 120_000)

  it.live(
    "within exchange B, where nobody lists a send: the command names it to the service",
    () =>
      Effect.gen(function*() {
        const running = yield* startFixture(startExchangeBNetwork)
        const { exchangeUrl, other, state, url, wallet: { index, owner } } = running
        const before = state.balance(other.index, 3, 0)
        const ends = ["--from", exchangeBSlug, "--to", exchangeBSlug, "--amount", "5", "--recipient", `${other.index}`]
        const ran = yield* runCommand(
          ["transfer", ...ends, "--rpc-url", exchangeUrl, "--url", url, "--trust", "--json"],
          { WALLET_PRIVATE_KEY: `${index}:2:0x${"12".repeat(40)}:${owner}` }
        )
        assert.strictEqual(ran.code, 0, ran.error + ran.out)
        assert.strictEqual(decodeDelivered(ran.out).status, "success")
        assert.strictEqual(state.balance(other.index, 3, 0) - before, 5_000_000)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("from Tron, by tronweb", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startTronNetwork)
      const { tron, wallet, whileMining } = running
      yield* whileMining(
        moves(running, { slug: tronSlug, amount: "100", key: wallet.key.privateKey, node: tron.url })
      )
    }).pipe(Effect.scoped), 120_000)
})
