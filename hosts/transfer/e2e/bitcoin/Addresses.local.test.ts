/**
 * Deposit addresses on Bitcoin through a host, for payers who only send money: every row of the table in ADDRESS-5,
 * settled on the hub by a real oracle, and reindexing.
 */
import { assert, layer } from "@effect/vitest"
import { networks, Psbt } from "bitcoinjs-lib"
import { Effect, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { toHex } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { pushedData } from "../../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { bitcoinChainId, bitcoinSlug } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { reindex, requestsOf } from "../../testing/Addressed.ts"
import { bitcoinAddressFor, payBitcoin, scriptOf } from "../../testing/BitcoinAddressed.ts"
import { broadcast, fromBitcoin } from "../../testing/BitcoinClient.ts"
import { USUAL_RATE } from "../../testing/BitcoinFees.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/BitcoinAddresses",
  startFixture(Effect.flatMap(startBitcoinNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const SOME = 5_000_000n

/** More than the fee of a refund and of a sweep at the local rate, far less than what is sent. */
const FEES = 5_000n

/** What one more input of a sweep costs at the local rate. */
const INPUT_FEE = 68n * BigInt(USUAL_RATE)

const bitcoinRef = {
  slug: ChainSlug.make(bitcoinSlug),
  family: families["bitcoin-vm"],
  network: "regtest"
} as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

const newAddress = () => keyOf(new Uint8Array(randomBytes(32))).address

/** The solver's bitcoin on the hub. */
const onHub = Effect.gen(function*() {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(bitcoinRef, BTC)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

/** Blocks come while the effect runs. */
const whileMining = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Running,
    ({ bitcoin }) => Effect.raceFirst(effect, slowingBlocks(bitcoin.mine()))
  )

const decodeRecord = Schema.decodeUnknownSync(Schema.Struct({
  depositAddress: Schema.String,
  type: Schema.String,
  requestId: Schema.String,
  chainId: Schema.Int,
  currency: Schema.String,
  refundTo: Schema.NullOr(Schema.String)
}))

/** An address for ether on alpha, of a user who has no bitcoin. */
const ask = Effect.fnUntraced(function*(changes: object = {}) {
  const { chains, fresh, url } = yield* Running
  const [recipient, refundTo] = [fresh(), newAddress()]
  const body = fromBitcoin(
    { address: newAddress() },
    recipient,
    [
      chains.alpha.chainId,
      NATIVE
    ],
    SOME,
    { refundTo, ...changes }
  )
  return { ...yield* bitcoinAddressFor(url, body), body, recipient, refundTo }
})

/** From any wallet, in no block yet. */
const pay = (to: string, amount: bigint) => Effect.flatMap(Running, ({ bitcoin }) => payBitcoin(bitcoin, to, amount))

const outOf = ({ quoted }: Effect.Success<ReturnType<typeof ask>>) => BigInt(quoted.details.currencyOut.amount)

/** The transaction that an address's coins were spent by, which is in a block. */
const sweepOf = Effect.fnUntraced(function*(address: string) {
  const { bitcoin: { chain: { ledger } } } = yield* Running
  const all = ledger.idsOf(address).flatMap((id) => ledger.transaction(id) ?? [])
  const made = new Set(all.map((each) => each.getId()))
  const [sweep, ...more] = all.filter(({ ins }) =>
    ins.some(({ hash }) => made.has(Buffer.from(hash.toReversed()).toString("hex")))
  )
  assert.isEmpty(more)
  return sweep ?? assert.fail("not swept")
})

const orderIn = ({ outs }: { readonly outs: ReadonlyArray<{ readonly script: Uint8Array }> }): Hex => {
  const [note] = outs.flatMap(({ script }) => pushedData(script) ?? [])
  const text = Buffer.from(note ?? []).toString("utf8")
  return /^0x[0-9a-f]{64}$/.test(text) ? text as Hex : assert.fail(`no note: ${text}`)
}

/** What came back, less the fees of sweep and refund. */
const assertBack = Effect.fnUntraced(function*(refundTo: string, sent: bigint) {
  const { heldOnBitcoin } = yield* Running
  const back = yield* whileMining(
    eventually("the refund is in a block", Effect.sync(() => heldOnBitcoin(refundTo)), (held) => held > 0n)
  )
  assert.isTrue(back < sent && back > sent - FEES, `${back} of ${sent}`)
})

layer(Running.layer, { excludeTestServices: true })("a deposit address on Bitcoin", (it) => {
  for (const strict of [false, true]) {
    it.effect(`${strict ? "strict" : "open"}: the exact amount is filled, and settled on the hub to the satoshi`, () =>
      Effect.gen(function*() {
        const { chains, environment, heldOnBitcoin, url } = yield* Running
        const before = yield* onHub
        const made = yield* ask({ strict, includeProtocolData: true })
        const { answer, body, depositAddress, quoted, recipient, refundTo, requestId } = made
        const verify = yield* verifierOf(chains, { ...body, useDepositAddress: true }, {}, {
          CHAINS: `alpha,beta,${bitcoinSlug}`,
          BITCOIN_RPC_URL: environment["BITCOIN_RPC_URL"] ?? ""
        })
        const { checks } = verify(answer)
        assert.deepStrictEqual(
          checks.filter(({ outcome }) => outcome !== "ok").map(({ name }) => name),
          ["deposit address"]
        )
        assert.deepInclude(
          decodeRecord((yield* get(`${url}/deposit-addresses?requestId=${requestId}`)).json()),
          { depositAddress, type: strict ? "strict" : "open", chainId: bitcoinChainId, currency: BTC, refundTo }
        )
        yield* pay(depositAddress, SOME)
        const ended = yield* whileMining(endedAnywhere(url, quoted))
        const sweep = yield* sweepOf(depositAddress)
        assert.deepInclude(ended, { status: "success", inTxHashes: [sweep.getId()] })
        assert.strictEqual(yield* etherOf(recipient), outOf(made))
        assert.strictEqual(heldOnBitcoin(depositAddress), 0n)
        assert.strictEqual(sweep.outs[0]?.value, SOME)
        const [settlement] = yield* whileMining(settled(url, orderIn(sweep), 1))
        assert.strictEqual(settlement?.inTxHash, sweep.getId())
        assert.strictEqual((yield* onHub) - before, SOME)
      }))
  }

  it.effect("open: more is filled, whatever its outputs, and each later deposit is a request of its own", () =>
    Effect.gen(function*() {
      const { bitcoin, heldOnBitcoin, url } = yield* Running
      const made = yield* ask()
      const { depositAddress, quoted, recipient } = made
      yield* pay(depositAddress, SOME)
      yield* bitcoin.mine()
      yield* pay(depositAddress, SOME + 1n)
      const ended = yield* whileMining(endedAnywhere(url, quoted))
      assert.strictEqual(ended.status, "success")
      const first = yield* etherOf(recipient)
      yield* whileMining(
        eventually("both outputs are swept", Effect.sync(() => heldOnBitcoin(depositAddress)), (held) => held === 0n)
      )
      yield* pay(depositAddress, SOME)
      const all = yield* whileMining(
        eventually(
          "a later request succeeds",
          requestsOf(url, depositAddress),
          (found) => found.length >= 2 && found.every(({ status }) => status === "success")
        )
      )
      // The first two outputs are a deposit of one sweep, or each of its own when a block came between them.
      assert.isTrue(all.length <= 3)
      assert.isTrue((yield* etherOf(recipient)) > first && first >= outOf(made))
      assert.isTrue(all.every(({ data }) => data.refunds.length === 0))
    }))

  it.effect("strict: of more the quoted amount is filled, the excess goes back, and so does a later deposit", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const made = yield* ask({ strict: true })
      const { depositAddress, quoted, recipient, refundTo } = made
      yield* pay(depositAddress, SOME + 200_000n)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, quoted))).status, "success")
      assert.strictEqual(yield* etherOf(recipient), outOf(made))
      yield* assertBack(refundTo, 200_000n)
      // In twenty outputs: all but the largest pay their own inputs.
      for (let nth = 0; nth < 20; nth += 1) yield* pay(depositAddress, 15_000n)
      const { heldOnBitcoin } = yield* Running
      const before = heldOnBitcoin(refundTo)
      const back = yield* whileMining(
        eventually("the later one is back", Effect.sync(() => heldOnBitcoin(refundTo) - before), (more) => more > 0n)
      )
      const most = 300_000n - 19n * INPUT_FEE
      assert.isTrue(back < most && back > most - FEES, `${back}`)
      const [request, ...others] = yield* requestsOf(url, depositAddress)
      assert.lengthOf(others, 0)
      assert.strictEqual(request?.status, "success")
      assert.strictEqual(yield* etherOf(recipient), outOf(made))
    }))

  it.effect("strict: less fails the request and goes back, and a deposit that is late goes back", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const less = yield* ask({ strict: true })
      const late = yield* ask({ strict: true, ttl: 1 })
      yield* pay(less.depositAddress, SOME - 1n)
      // The chain's clock shows whole seconds.
      yield* Effect.sleep("2 seconds")
      yield* pay(late.depositAddress, SOME)
      for (
        const [made, sent, reason] of [
          [less, SOME - 1n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"],
          [late, SOME, "TTL_EXPIRED"]
        ] as const
      ) {
        assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "refund")
        yield* assertBack(made.refundTo, sent)
        const [request] = yield* requestsOf(url, made.depositAddress)
        assert.strictEqual(request?.data.failReason, reason)
        assert.strictEqual(yield* etherOf(made.recipient), 0n)
      }
    }))

  it.effect("is reindexed once a minute: dust is found, and waits; a user without coins is quoted without a fee", () =>
    Effect.gen(function*() {
      const { bitcoin, url } = yield* Running
      const { depositAddress, quoted } = yield* ask({ strict: true })
      assert.strictEqual(quoted.fees["gas"]?.amount, "0")
      assert.strictEqual(quoted.details.userBalance, "0")
      const body = { chainId: bitcoinChainId, depositAddress }
      yield* pay(depositAddress, 400n)
      yield* bitcoin.mine(FINAL_AFTER + 1)
      const found = yield* reindex(url, body)
      assert.strictEqual(found.status, 200, found.text)
      assert.deepInclude(found.json(), {
        triggeredCurrencies: [{ currency: BTC, symbol: "BTC", balance: "400" }],
        checkedCurrencies: 1,
        failedCurrencies: 0
      })
      assert.include((found.json() as { message: string }).message, "waits until it is known to be worth")
      assert.lengthOf(bitcoin.chain.ledger.idsOf(depositAddress), 1)
      assert.strictEqual((yield* reindex(url, body)).status, 429)
      assert.strictEqual((yield* reindex(url, { ...body, depositAddress: newAddress() })).status, 404)
    }))

  it.effect("is swept once, by the same transaction, when a reorg takes the sweep back", () =>
    Effect.gen(function*() {
      const { bitcoin, heldOnBitcoin, url } = yield* Running
      const made = yield* ask({ strict: true })
      const { depositAddress, quoted, recipient } = made
      yield* pay(depositAddress, SOME)
      const { ledger } = bitcoin.chain
      yield* whileMining(
        eventually(
          "the sweep is in a block",
          Effect.sync(() => ledger.idsOf(depositAddress).length === 2 && heldOnBitcoin(depositAddress) === 0n),
          (is) => is
        )
      )
      const first = yield* sweepOf(depositAddress)
      const { height } = ledger.confirmedIn(first.getId()) ?? assert.fail("not in a block")
      yield* bitcoin.reorg(ledger.tip.height - height + 1, "dropped")
      assert.isUndefined(ledger.confirmedIn(first.getId()))
      assert.strictEqual((yield* whileMining(endedAnywhere(url, quoted))).status, "success")
      yield* bitcoin.mine(FINAL_AFTER)
      assert.strictEqual((yield* sweepOf(depositAddress)).getId(), first.getId())
      assert.strictEqual(yield* etherOf(recipient), outOf(made))
      assert.lengthOf(yield* requestsOf(url, depositAddress), 1)
    }))

  it.effect("gives back what a stranger adds: to the address and, in the same transaction, under its order", () =>
    Effect.gen(function*() {
      const { bitcoin, heldOnBitcoin, url, wallet } = yield* Running
      const made = yield* ask({ strict: true })
      const { depositAddress, quoted, recipient, refundTo } = made
      yield* pay(depositAddress, SOME)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, quoted))).status, "success")
      const [paid, note] = (yield* sweepOf(depositAddress)).outs
      if (paid === undefined || note === undefined) return yield* Effect.die(new Error("no deposit"))
      const stranger = yield* wallet("P2WPKH", 2_000_000n)
      const [coin = assert.fail("no coin")] = bitcoin.chain.ledger.coinsOf(stranger.address)
      const psbt = new Psbt({ network: networks.regtest, maximumFeeRate: 1_000_000 })
      psbt.addInput({
        hash: coin.id,
        index: coin.index,
        witnessUtxo: { script: stranger.script, value: coin.value }
      })
      psbt.addOutputs([
        { script: paid.script, value: 600_000n },
        note,
        { script: scriptOf(depositAddress), value: 700_000n }
      ])
      yield* broadcast(bitcoin.explorerUrl, stranger.signed(psbt.toHex()))
      const back = yield* whileMining(
        eventually("both are back", Effect.sync(() => heldOnBitcoin(refundTo)), (held) => held > 700_000n)
      )
      assert.isTrue(back < 1_300_000n && back > 1_300_000n - 2n * FEES, `${back}`)
      assert.strictEqual(yield* etherOf(recipient), outOf(made))
      assert.deepStrictEqual((yield* requestsOf(url, depositAddress)).map(({ status }) => status), ["success"])
    }))
})
