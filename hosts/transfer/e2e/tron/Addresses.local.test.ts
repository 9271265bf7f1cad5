/**
 * Deposit addresses on Tron through a host, for payers who only send money: every row of the table in ADDRESS-5 in TRX
 * and USDT, settled on the hub by a real oracle, and reindexing.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { toHex } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { keyOf } from "../../../localnet/nodes/tron/node/LocalKey.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { reindex, requestsOf } from "../../testing/Addressed.ts"
import { reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { keyOf as keyOfSponsor, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { assertFilled, payTron, sweepsOf, tronAddressFor } from "../../testing/TronAddressed.ts"
import { fromTron } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"
import { verifierOf } from "../../testing/Verified.ts"

const sponsor: TestSponsor = { id: "tron-address", wallet: toHex(0x7ad_0000, { size: 20 }), balance: 50_000_000n }

class Running extends fixtureOf<Running>()(
  "test/TronAddresses",
  startFixture(Effect.flatMap(startTronNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling,
    sponsors: [sponsor]
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
const SOME = 100n * ONE

/** More than a sweep and a refund cost, in TRX or in dollars. */
const FEES = 20n * ONE

const tronRef = { slug: ChainSlug.make(tronSlug), family: families["tron-vm"], network: "mainnet" } as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

/** An account that nobody has used. */
const newAddress = (): string => keyOf(`0x${randomBytes(32).toString("hex")}`).address

/** The solver's units of a currency of the Tron chain on the hub. */
const onHub = Effect.fnUntraced(function*(currency: string) {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(tronRef, currency)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

/** Blocks come while this runs, and soon are solidified. */
const whileMining = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Running,
    ({ tron }) => Effect.raceFirst(body, slowingBlocks(tron.mine(7)))
  )

const decodeRecord = Schema.decodeUnknownSync(Schema.Struct({
  depositAddress: Schema.String,
  type: Schema.String,
  requestId: Schema.String,
  chainId: Schema.Int,
  currency: Schema.String,
  refundTo: Schema.NullOr(Schema.String)
}))

/** An address for ether on alpha, of a user whom the chain does not know. */
const ask = Effect.fnUntraced(function*(currency: string, changes: object = {}, by?: TestSponsor) {
  const { chains, fresh, url } = yield* Running
  const [recipient, refundTo, user] = [fresh(), newAddress(), keyOf(`0x${randomBytes(32).toString("hex")}`)]
  const body = fromTron({ key: user }, recipient, [chains.alpha.chainId, NATIVE], [currency, SOME], {
    refundTo,
    ...changes
  })
  return {
    ...yield* tronAddressFor(url, body, by === undefined ? {} : keyOfSponsor(by)),
    body,
    currency,
    recipient,
    refundTo
  }
})

type Asked = Effect.Success<ReturnType<typeof ask>>

/** From any wallet, in a block. */
const pay = Effect.fnUntraced(function*({ currency, depositAddress }: Asked, amount: bigint, of: string = currency) {
  const { tron, wallet } = yield* Running
  yield* payTron(wallet, depositAddress, of, amount)
  yield* tron.mine()
})

const outOf = ({ quoted }: Asked) => BigInt(quoted.details.currencyOut.amount)

const onlySweep = Effect.fnUntraced(function*({ depositAddress }: Asked) {
  const { tron } = yield* Running
  const [sweep, ...more] = sweepsOf(tron, depositAddress)
  assert.isEmpty(more)
  return sweep ?? assert.fail("not swept")
})

/** What came back, less what sweep and refund cost. */
const assertBack = Effect.fnUntraced(function*(refundTo: string, currency: string, sent: bigint) {
  const { heldOnTron } = yield* Running
  const back = yield* whileMining(
    eventually("the refund is in a block", heldOnTron(currency, refundTo), (held) => held > 0n)
  )
  assert.isTrue(back < sent && back > sent - FEES, `${back} of ${sent}`)
})

layer(Running.layer, { excludeTestServices: true })("a deposit address on Tron", (it) => {
  for (const [currency, name] of [[TRX, "TRX"], [usdt, "USDT"]] as const) {
    for (const strict of [false, true]) {
      it.effect(
        `${strict ? "strict" : "open"}: the exact amount of ${name} is filled, and settled on the hub to the unit`,
        () =>
          Effect.gen(function*() {
            const { chains, environment, heldOnTron, tronSolver, url } = yield* Running
            const before = yield* onHub(currency)
            const rich = yield* heldOnTron(TRX, tronSolver.address)
            const made = yield* ask(currency, { strict, includeProtocolData: true })
            const { answer, body, depositAddress, quoted, recipient, refundTo, requestId } = made
            const verify = yield* verifierOf(chains, { ...body, useDepositAddress: true }, {}, {
              CHAINS: `alpha,beta,${tronSlug}`,
              TRON_RPC_URL: environment["TRON_RPC_URL"] ?? ""
            })
            const { checks } = verify(answer)
            assert.deepStrictEqual(
              checks.filter(({ outcome }) => outcome !== "ok").map(({ name: each }) => each),
              ["deposit address"]
            )
            assert.deepInclude(
              decodeRecord((yield* get(`${url}/deposit-addresses?requestId=${requestId}`)).json()),
              { depositAddress, type: strict ? "strict" : "open", chainId: TRON_CHAIN_ID, currency, refundTo }
            )
            yield* pay(made, SOME)
            const ended = yield* whileMining(endedAnywhere(url, quoted))
            const { id, order } = yield* onlySweep(made)
            assert.deepInclude(ended, { status: "success", inTxHashes: [id] })
            assertFilled(yield* etherOf(recipient), quoted)
            if (currency !== TRX) assert.strictEqual(yield* heldOnTron(currency, depositAddress), 0n)
            // The solver's account has paid for the sweep. The address keeps less of it than a sweep costs.
            const cost = rich - (yield* heldOnTron(TRX, tronSolver.address))
            const left = yield* heldOnTron(TRX, depositAddress)
            assert.isTrue(cost > 0n && left < cost && left < 3n * ONE, `${left} of ${cost}`)
            const [settlement] = yield* whileMining(settled(url, order, 1))
            assert.strictEqual(settlement?.inTxHash, id)
            assert.strictEqual((yield* onHub(currency)) - before, SOME)
          }),
        shows("tron-vm", "transfers from")
      )
    }
  }

  it.effect("open: more is filled, less is priced again, and each later deposit is a request of its own", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const made = yield* ask(TRX)
      yield* pay(made, SOME + 1n)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
      const first = yield* etherOf(made.recipient)
      assertFilled(first, made.quoted)
      yield* pay(made, SOME / 2n)
      const all = yield* whileMining(
        eventually(
          "a later request succeeds",
          requestsOf(url, made.depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
      )
      assert.isTrue((yield* etherOf(made.recipient)) > first)
      assert.isTrue(all.every(({ data }) => data.refunds.length === 0))
    }))

  it.effect("strict: of more the quoted amount is filled, the excess goes back, and so does a later deposit", () =>
    Effect.gen(function*() {
      const { heldOnTron, url } = yield* Running
      for (const currency of [TRX, usdt]) {
        const made = yield* ask(currency, { strict: true })
        yield* pay(made, SOME + 40n * ONE)
        assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
        assertFilled(yield* etherOf(made.recipient), made.quoted)
        yield* assertBack(made.refundTo, currency, 40n * ONE)
        const before = yield* heldOnTron(currency, made.refundTo)
        yield* pay(made, 60n * ONE)
        const now = yield* whileMining(
          eventually("the later one is back", heldOnTron(currency, made.refundTo), (held) => held > before)
        )
        const back = now - before
        assert.isTrue(back < 60n * ONE && back > 60n * ONE - FEES, `${back}`)
        assert.deepStrictEqual((yield* requestsOf(url, made.depositAddress)).map(({ status }) => status), ["success"])
        assertFilled(yield* etherOf(made.recipient), made.quoted)
      }
    }))

  it.effect("strict: less fails the request and goes back, and a deposit that is late goes back", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const less = yield* ask(usdt, { strict: true })
      const late = yield* ask(TRX, { strict: true, ttl: 1 })
      yield* pay(less, SOME - 1n)
      // The chain's clock shows whole seconds.
      yield* Effect.sleep("2 seconds")
      yield* pay(late, SOME)
      for (
        const [made, sent, reason] of [
          [less, SOME - 1n, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"],
          [late, SOME, "TTL_EXPIRED"]
        ] as const
      ) {
        assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "refund")
        yield* assertBack(made.refundTo, made.currency, sent)
        const [request] = yield* requestsOf(url, made.depositAddress)
        assert.strictEqual(request?.data.failReason, reason)
        assert.strictEqual(yield* etherOf(made.recipient), 0n)
      }
    }))

  it.effect("is reindexed: another currency goes back, TRX that are paid besides are not used for it, and dust waits", () =>
    Effect.gen(function*() {
      const { tron, url } = yield* Running
      const made = yield* ask(TRX, { strict: true })
      const body = { chainId: TRON_CHAIN_ID, depositAddress: made.depositAddress }
      yield* pay(made, 90n * ONE, usdt)
      yield* pay(made, SOME)
      yield* tron.solidify
      const found = yield* reindex(url, { ...body, currency: usdt })
      assert.strictEqual(found.status, 200, found.text)
      assert.deepInclude(found.json(), {
        triggeredCurrencies: [{ currency: usdt, symbol: "USDT", balance: `${90n * ONE}` }],
        checkedCurrencies: 1,
        failedCurrencies: 0
      })
      assert.strictEqual((yield* reindex(url, body)).status, 429)
      assert.strictEqual((yield* reindex(url, { ...body, depositAddress: newAddress() })).status, 404)
      yield* assertBack(made.refundTo, usdt, 90n * ONE)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
      assertFilled(yield* etherOf(made.recipient), made.quoted)
      const dusty = yield* ask(usdt, { strict: true })
      yield* pay(dusty, 700n)
      yield* tron.solidify
      const dust = yield* reindex(url, { chainId: TRON_CHAIN_ID, depositAddress: dusty.depositAddress })
      assert.deepInclude(dust.json(), { checkedCurrencies: 3, failedCurrencies: 0 })
      assert.include((dust.json() as { message: string }).message, "waits until it is known to be worth")
      assert.isEmpty(sweepsOf(tron, dusty.depositAddress))
    }))

  it.effect("is reindexed again after its node was dead, and one currency that cannot be read does not hold up others", () =>
    Effect.gen(function*() {
      const { tron, url } = yield* Running
      const made = yield* ask(TRX, { strict: true })
      const body = { chainId: TRON_CHAIN_ID, depositAddress: made.depositAddress }
      yield* pay(made, 90n * ONE, usdt)
      yield* tron.solidify
      const during = (methods: object) =>
        Effect.andThen(
          tron.setFault({ kind: "error", code: -32_000, message: "no", ...methods }),
          Effect.ensuring(reindex(url, body), tron.setFault(undefined))
        )
      const failed = yield* during({})
      assert.deepStrictEqual([failed.status, failed.json()], [503, { message: "no balance could be read: try again" }])
      assert.isEmpty(sweepsOf(tron, made.depositAddress))
      // A failed one does not count: the next need not wait. Now no token can be read.
      yield* pay(made, SOME)
      yield* tron.solidify
      const partly = yield* during({ methods: ["/walletsolidity/triggerconstantcontract"] })
      assert.deepInclude(partly.json(), { checkedCurrencies: 1, failedCurrencies: 2 })
      assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
      assert.strictEqual((yield* reindex(url, body)).status, 429)
    }))

  it.effect("is sponsored once: the sponsor pays with the rest what the sweep costs, and the user for a later deposit", () =>
    Effect.gen(function*() {
      const { heldOnTron, store, tronSolver, url } = yield* Running
      const made = yield* ask(usdt, { subsidizeFees: true }, sponsor)
      const before = yield* heldOnTron(TRX, tronSolver.address)
      yield* pay(made, SOME)
      assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
      const swept = before - (yield* heldOnTron(TRX, tronSolver.address))
      const first = yield* etherOf(made.recipient)
      assertFilled(first, made.quoted)
      const actual = yield* whileMining(
        eventually("the sponsor has paid", actualOf(url, made.quoted), (known) => known !== undefined)
      )
      const paid = BigInt(actual?.sponsorPayment.amount ?? 0)
      // A TRX is 30 cents here.
      assert.isTrue(paid > (swept * 3n) / 10n, `${paid} for a sweep of ${swept}`)
      const left = Effect.map(ledgerOf(store), (all) => all[`Wallet:${sponsor.wallet}`])
      assert.strictEqual(yield* left, 50_000_000n - paid)
      yield* pay(made, SOME)
      yield* whileMining(
        eventually(
          "the later request succeeds",
          requestsOf(url, made.depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
      )
      assert.isTrue((yield* etherOf(made.recipient)) < first + outOf(made))
      assert.strictEqual(yield* left, 50_000_000n - paid)
    }))

  it.effect("is swept once, by the same transactions, when a reorg takes the sweep back", () =>
    Effect.gen(function*() {
      const { tron, url } = yield* Running
      const made = yield* ask(TRX, { strict: true })
      yield* pay(made, SOME)
      yield* whileMining(
        eventually("it is swept", Effect.sync(() => sweepsOf(tron, made.depositAddress)), (found) => found.length > 0)
      )
      const first = yield* onlySweep(made)
      const { ledger } = tron.chain
      const depth = ledger.tip.number - (ledger.placeOf(first.id)?.block.number ?? 0) + 1
      yield* tron.reorg(depth, "dropped")
      assert.isEmpty(sweepsOf(tron, made.depositAddress))
      assert.strictEqual((yield* whileMining(endedAnywhere(url, made.quoted))).status, "success")
      yield* tron.solidify
      assert.strictEqual((yield* onlySweep(made)).id, first.id)
      assertFilled(yield* etherOf(made.recipient), made.quoted)
      assert.lengthOf(yield* requestsOf(url, made.depositAddress), 1)
    }))
})
