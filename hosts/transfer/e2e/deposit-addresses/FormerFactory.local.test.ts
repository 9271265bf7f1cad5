/**
 * Addresses of a factory at which anyone may sweep, quoted before an upgrade and paid after it, while a stranger does
 * all the harm he can there: no user loses money by it, and operators are warned.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { concat, encodeDeployData, getContractAddress, toHex, zeroHash } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "../../../../adapters/ethereum/contracts/artifacts/DepositAddresses.ts"
import {
  CREATE2_DEPLOYER,
  setDepository,
  setOperator,
  sweepData,
  sweepManyData
} from "../../../../adapters/ethereum/contracts/testing/Factory.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { bytecode } from "../../../../adapters/ethereum/contracts/testing/FormerFactory.ts"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { depositFactory } from "../../../localnet/nodes/ethereum/DepositFactory.ts"
import { payTo, requestsOf } from "../../testing/Addressed.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { ended, nativeRequest, postQuote, QuoteAnswer, reader, sendCall, status } from "../../testing/Client.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { alarms, balanceOf, counter, eventually } from "../../testing/Misbehaving.ts"
import { POISON, putPoison } from "../../testing/PoisonedMint.ts"
import { addSponsors, keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { sweepWithPayments } from "../../testing/Sweeper.ts"
import type { TestChains } from "../../testing/TestChains.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

/** Lets later deposits at an address draw a large amount. */
const sponsor: TestSponsor = {
  id: "former",
  wallet: toHex(0x5bad_f000, { size: 20 }),
  balance: 50_000_000n,
  budget: { laterPerAddressPerDay: MicroUsdc(25_000_000n) }
}

const fresh = (n: number): Hex => toHex(0xf0_0000_0000 + n, { size: 20 })

/** More than the gas of a sweep and a refund here. */
const GAS = 10n ** 15n

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

const decodeQuoted = Schema.decodeUnknownSync(Schema.Struct({
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: HexText }) }),
  steps: Schema.Tuple([Schema.Struct({ depositAddress: HexText })])
}))

const ask = Effect.fnUntraced(function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = yield* postQuote(url, { ...body, useDepositAddress: true, includeProtocolData: true }, headers)
  assert.strictEqual(answer.status, 200, answer.text)
  const { protocol: { v2: { orderId } }, steps: [{ depositAddress }] } = decodeQuoted(answer.json())
  return { quoted: Schema.decodeUnknownSync(QuoteAnswer)(answer.json()), orderId, depositAddress }
})

/** Five, and a sponsored one. */
const askAll = Effect.fnUntraced(function*(url: string, { alpha, beta }: TestChains, user: Hex) {
  const one = Effect.fnUntraced(function*(n: number, changes: object, headers: Readonly<Record<string, string>>) {
    const places = { recipient: fresh(n), refundTo: fresh(100 + n) }
    return {
      ...places,
      ...yield* ask(url, nativeRequest(user, alpha, beta, ETH.some, { ...places, ...changes }), headers)
    }
  })
  return {
    plain: [yield* one(1, {}, {}), yield* one(2, {}, {}), yield* one(3, {}, {}), yield* one(4, {}, {})] as const,
    strict: yield* one(5, { strict: true }, {}),
    sponsored: yield* one(6, { subsidizeFees: true }, keyOf(sponsor))
  }
})

/** Earlier versions did not store a factory with an address. */
const asEarlierVersions = (store: string) =>
  changeBeside(store, (opened) => {
    opened.exec("UPDATE deposit_addresses SET factory = NULL")
  })

const makeRunning = Effect.gen(function*() {
  const network = yield* startNetwork
  const { chains, environment, store } = network
  const owner = chains.users[9] ?? "0x"
  const initCode = encodeDeployData({ abi, bytecode, args: [privateKeyToAccount(owner).address] })
  const former = getContractAddress({ opcode: "CREATE2", from: CREATE2_DEPLOYER, salt: zeroHash, bytecode: initCode })
  for (const chain of [chains.alpha, chains.beta]) {
    yield* sendCall(chain, owner, { to: CREATE2_DEPLOYER, data: concat([zeroHash, initCode]) })
    yield* sendCall(chain, owner, { to: former, data: setDepository(addressOf("Depository")) })
    yield* sendCall(chain, owner, { to: former, data: setOperator(chains.operator) })
  }
  const now = `"factory": "${depositFactory.toLowerCase()}"`
  const before = yield* configuredFolder((file) => file.replaceAll(now, `"factory": "${former.toLowerCase()}"`))
  const after = yield* configuredFolder((file) => file.replaceAll(now, `${now}, "former": ["${former.toLowerCase()}"]`))
  yield* addSponsors(store, [sponsor])

  // Quoted while the former factory was the only one.
  const user = network.user(0)
  const first = yield* startTransferInstance(environment, before)
  const addresses = yield* askAll(first.url, chains, user)
  yield* first.stop
  yield* asEarlierVersions(store)

  const { url } = yield* startTransferInstance({ ...environment, UNATTESTED_REFUNDS_USD: "40" }, after)
  return { ...network, ...addresses, former, url, user }
})

class Running extends fixtureOf<Running>()("test/FormerFactory", makeRunning) {}

layer(Running.layer, { excludeTestServices: true })("addresses of a former factory", (it) => {
  const keyOfUser = Effect.fnUntraced(function*(n: number) {
    return (yield* Running).chains.users[n] ?? "0x"
  })

  const delivered = Effect.fnUntraced(function*(n: number) {
    return yield* balanceOf((yield* Running).chains.beta, fresh(n))
  })

  const returned = Effect.fnUntraced(function*(n: number) {
    return yield* balanceOf((yield* Running).chains.alpha, fresh(100 + n))
  })

  const pay = Effect.fnUntraced(function*(to: Hex) {
    yield* payTo((yield* Running).chains.alpha, yield* keyOfUser(1), to, ETH, ETH.some)
  })

  const sponsorHas = Effect.gen(function*() {
    const all = yield* ledgerOf((yield* Running).store)
    return {
      has: all[`Wallet:${sponsor.wallet ?? ""}`] ?? 0n,
      holds: Object.keys(all).some((account) => account.startsWith("Hold:"))
    }
  })

  const told = Effect.fnUntraced(function*() {
    const { url } = yield* Running
    return [yield* alarms(url, "foreign-sweep"), yield* alarms(url, "unmintable-deposit")]
  })

  /** Payments to some of them, and in the same block a stranger's sweep of all. */
  const sweptByStranger = Effect.fnUntraced(
    function*(victims: ReadonlyArray<{ readonly depositAddress: Hex; readonly orderId: Hex }>, to: Hex) {
      const { chains: { alpha }, user } = yield* Running
      const payers = [yield* keyOfUser(1), yield* keyOfUser(3)]
      const sweeps = victims.map(({ orderId }) => ({ orderId, depositor: user, currency: ETH.address }))
      const [only] = sweeps
      yield* sweepWithPayments(
        alpha,
        victims.map(({ depositAddress }, n) => ({ key: payers[n] ?? "0x", to: depositAddress, value: ETH.some })),
        {
          key: yield* keyOfUser(2),
          to,
          data: sweeps.length === 1 && only !== undefined ? sweepData(only) : sweepManyData(sweeps)
        }
      )
    }
  )

  it.effect("are not quoted any more, but watched, swept and filled; only the first deposit has the sponsor", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, former, sponsored, url, user } = yield* Running
      const now = yield* ask(url, nativeRequest(user, alpha, beta, ETH.some, { refundTo: fresh(0) }))
      const at = (factory: Hex, { orderId }: { readonly orderId: Hex }) =>
        Effect.promise(() =>
          reader(alpha).readContract({
            abi,
            address: factory,
            functionName: "computeDepositAddress",
            args: [orderId, user]
          })
        )
      assert.strictEqual((yield* at(depositFactory, now)).toLowerCase(), now.depositAddress)
      assert.strictEqual((yield* at(former, sponsored)).toLowerCase(), sponsored.depositAddress)

      yield* pay(sponsored.depositAddress)
      assert.strictEqual((yield* ended(url, sponsored.quoted)).status, "success")
      assert.strictEqual(yield* delivered(6), ETH.some)
      const { has } = yield* eventually(
        "it is drawn",
        sponsorHas,
        ({ has: left, holds }) => left < sponsor.balance && !holds
      )
      yield* pay(sponsored.depositAddress)
      yield* eventually(
        "a later one succeeds",
        requestsOf(url, sponsored.depositAddress),
        (found) => found.length === 2 && found.every(({ status: now }) => now === "success")
      )
      const fee = 2n * ETH.some - (yield* delivered(6))
      assert.isTrue(fee > 0n && fee < GAS, `${fee}`)
      assert.strictEqual((yield* eventually("nothing is held", sponsorHas, ({ holds }) => !holds)).has, has)
      // Our own sweeps raise no alarm.
      assert.deepStrictEqual(yield* told(), [0, 0])
    }))

  it.effect("that a stranger sweeps first, two of them in one transaction, are filled, and operators are told of both", () =>
    Effect.gen(function*() {
      const { former, plain: [one, two], url } = yield* Running
      yield* sweptByStranger([one, two], former)
      for (const [n, { quoted }] of [[1, one], [2, two]] as const) {
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        const out = yield* delivered(n)
        assert.isTrue(out > ETH.some - GAS && out < ETH.some, `${out}`)
      }
      assert.deepStrictEqual(yield* told(), [2, 0])
    }))

  it.effect("that a stranger sweeps under the first order after that is paid: the money is refunded to its user, less the gas", () =>
    Effect.gen(function*() {
      const { former, plain: [one], strict, url } = yield* Running
      yield* pay(strict.depositAddress)
      assert.strictEqual((yield* ended(url, strict.quoted)).status, "success")
      for (const [n, victim] of [[1, one], [5, strict]] as const) {
        const before = yield* delivered(n)
        yield* sweptByStranger([victim], former)
        const { refunds } = yield* eventually(
          "it goes back",
          status(url, victim.quoted),
          (now) => now.refunds[0]?.state === "paid"
        )
        assert.deepStrictEqual(refunds.map(({ reason }) => reason), ["DOUBLE_SPEND"])
        const back = yield* returned(n)
        assert.strictEqual(`${back}`, refunds[0]?.refunded)
        assert.isTrue(back > ETH.some - GAS, `${back}`)
        assert.strictEqual(yield* delivered(n), before)
      }
      assert.deepStrictEqual(yield* told(), [4, 0])
      // The next payment, which the stranger does not sweep, is a request of its own.
      yield* pay(one.depositAddress)
      yield* eventually(
        "the next succeeds",
        requestsOf(url, one.depositAddress),
        ([newest, ...others]) => others.length === 1 && newest?.status === "success"
      )
    }))

  it.effect("that a stranger sweeps beside made-up tokens: nothing is filled, and the money is refunded under the cap; beyond it, it waits", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, former, plain: [, , one, two], url } = yield* Running
      yield* putPoison(alpha, former)
      yield* sweptByStranger([one], POISON)
      const end = yield* ended(url, one.quoted)
      assert.strictEqual(end.status, "refund")
      const back = yield* returned(3)
      assert.strictEqual(`${back}`, end.refunds[0]?.refunded)
      assert.isTrue(back > ETH.some - GAS && (yield* delivered(3)) === 0n, `${back}`)
      const lost = yield* eventually(
        "the loss is shown",
        counter(url, "unattested_refunds_usd_total", "alpha"),
        (dollars) => dollars > 0
      )
      assert.isAtMost(lost, 40)
      assert.deepStrictEqual(yield* told(), [5, 1])
      // The cap has room for one.
      yield* sweptByStranger([two], POISON)
      yield* eventually("the second waits", status(url, two.quoted), ({ refunds }) => refunds[0]?.state === "held")
      assert.deepStrictEqual([yield* told(), yield* alarms(url, "unattested-refunds-capped")], [[6, 2], 1])
      assert.deepStrictEqual([yield* delivered(4), yield* returned(4)], [0n, 0n])
      // The user's next one is filled, whatever happened to the first.
      yield* pay(one.depositAddress)
      yield* eventually(
        "the next succeeds",
        requestsOf(url, one.depositAddress),
        ([newest]) => newest?.status === "success"
      )
      assert.isTrue((yield* delivered(3)) > ETH.some - GAS)
    }))
})
