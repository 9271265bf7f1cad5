/**
 * Old unpaid quotes are deleted when the service starts, also those with deposit addresses, whose addresses stay.
 * Filled ones stay at any age.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { addressFor, payTo, reindex } from "../../testing/Addressed.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { ended, nativeRequest, quote, sendDeposit, status } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { addKeys } from "../../testing/Keys.ts"
import { closed, counter, eventually } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const depository = addressOf("Depository")
const DAY = 24 * 3600

/** Moves everything in a store this many days into the past, so that its deadlines have passed. */
const age = (url: string, days: number) =>
  changeBeside(url, (store) => {
    for (const { id, order_json } of store.prepare("SELECT id, order_json FROM transfers").all()) {
      const older = String(order_json).replaceAll(/"deadline":(\d+)/g, (_, deadline: string) =>
        `"deadline":${Number(deadline) - days * DAY}`)
      store.prepare("UPDATE transfers SET order_json = ?, quoted_at = quoted_at - ? WHERE id = ?").run(
        older,
        days * DAY * 1000,
        id ?? ""
      )
    }
    store.exec(
      `UPDATE deposit_addresses SET created_at = created_at - ${days * DAY * 1000}, touched_at = touched_at - ${
        days * DAY * 1000
      }`
    )
  })

it.live("last week's unpaid quotes are deleted, and a later deposit for one is foreign", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startInstance } = yield* startNetwork
    const before = yield* startInstance()
    const ask = (index: number) =>
      quote(
        before.url,
        nativeRequest(privateKeyToAccount(chains.users[index] ?? "0x").address, chains.alpha, chains.beta, 10n ** 16n)
      )
    const [unpaid, paid] = [yield* ask(0), yield* ask(1)]
    yield* sendDeposit(chains.alpha, chains.users[1] ?? "0x", paid)
    assert.strictEqual((yield* ended(before.url, paid)).status, "success")
    yield* before.stop
    yield* age(environment["DATABASE_URL"] ?? "", 8)

    const { url } = yield* startInstance()
    yield* eventually("the unpaid one is unknown", status(url, unpaid), (answer) => answer.status === "unknown")
    assert.strictEqual((yield* status(url, paid)).status, "success")
    yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", unpaid)
    yield* eventually("its deposit is nobody's", closed(url, "foreign"), (count) => count === 1)
    assert.strictEqual((yield* status(url, unpaid)).status, "unknown")
  })))

it.live("quotes of unpaid deposit addresses are dropped, and later money is returned, on any chain", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains: { alpha, beta, users: [user = "0x"] }, environment, startInstance } = yield* startNetwork
    const store = environment["DATABASE_URL"] ?? ""
    yield* addKeys(store, ["alice"])
    const before = yield* startInstance()
    const [refundTo, recoveryAddress] = [
      "0x000000000000000000000000000000000000d0a1",
      "0x000000000000000000000000000000000000d0a2"
    ] as const
    const ask = (changes: object, headers = {}) =>
      addressFor(before.url, nativeRequest(privateKeyToAccount(user).address, alpha, beta, ETH.some, changes), headers)
    const named = yield* ask({ refundTo })
    const strict = yield* ask({ refundTo, strict: true })
    const recovered = yield* ask({ recoveryAddress })
    const hers = yield* ask({ refundTo }, { "x-api-key": "alice" })
    const paidElsewhere = yield* ask({ refundTo })
    const dusty = yield* ask({ refundTo })
    // Not known yet: it is on another chain, and in another currency.
    yield* payTo(beta, user, paidElsewhere.depositAddress, USDC, USDC.some)
    yield* payTo(beta, user, dusty.depositAddress, USDC, 1n)
    yield* before.stop
    yield* age(store, 40)

    const { url } = yield* startInstance({ DROPPED_ADDRESS_REFUNDS_USD: "1000" })
    const recordOf = (requestId: string) =>
      Effect.map(get(`${url}/deposit-addresses?requestId=${requestId}`), (answer) => answer.status)
    for (const { depositAddress, requestId } of [named, strict, recovered, hers, dusty]) {
      yield* eventually("its quote is dropped", recordOf(requestId), (answer) => answer === 404)
      assert.strictEqual(
        (yield* get(`${url}/deposit-addresses?chainId=${alpha.chainId}&address=${depositAddress}`)).status,
        200
      )
    }
    assert.strictEqual(yield* recordOf(paidElsewhere.requestId), 200, "something lies there")

    const look = (body: object) => reindex(url, { chainId: alpha.chainId, ...body })
    assert.strictEqual((yield* look({ depositAddress: hers.depositAddress })).status, 403)
    assert.strictEqual(
      (yield* look({ depositAddress: strict.depositAddress, targetChainId: beta.chainId })).status,
      400
    )
    yield* payTo(alpha, user, named.depositAddress, USDC, USDC.some)
    yield* payTo(beta, user, recovered.depositAddress, ETH, ETH.some)
    assert.deepInclude((yield* look({ depositAddress: named.depositAddress })).json(), {
      message: "1 withdrawal queued"
    })
    assert.deepInclude(
      (yield* look({ depositAddress: recovered.depositAddress, targetChainId: beta.chainId })).json(),
      { message: "1 withdrawal queued" }
    )
    const back = yield* eventually("it is back", held(alpha, USDC, refundTo), (units) => units > 0n)
    assert.isTrue(back < USDC.some && back > USDC.some - 1_500_000n, `${back}`)
    assert.isTrue((yield* eventually("so is this", held(beta, ETH, recoveryAddress), (units) => units > 0n)) < ETH.some)
    // Again, with the quoted amount of the strict one.
    yield* payTo(alpha, user, strict.depositAddress, ETH, ETH.some)
    yield* payTo(beta, user, named.depositAddress, ETH, ETH.some)
    assert.strictEqual((yield* look({ depositAddress: strict.depositAddress })).status, 200)
    assert.strictEqual((yield* look({ depositAddress: named.depositAddress, targetChainId: beta.chainId })).status, 200)
    yield* eventually("it is back", held(alpha, ETH, refundTo), (units) => units > 0n)
    yield* eventually("so is this", held(beta, ETH, refundTo), (units) => units > 0n)
    for (const { depositAddress } of [named, strict]) assert.strictEqual(yield* held(alpha, ETH, depositAddress), 0n)
  })))

it.live("money at an address after its quote was dropped belongs to its depositor on the hub, who is not paid twice unless an operator decides so", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains: { alpha, beta, users: [stranger = "0x"] }, environment, startInstance } = yield* startNetwork
    const before = yield* startInstance()
    const refundTo = "0x000000000000000000000000000000000000d0a3"
    const own = yield* addressFor(
      before.url,
      nativeRequest(privateKeyToAccount(stranger).address, alpha, beta, ETH.some, { refundTo })
    )
    yield* before.stop
    yield* age(environment["DATABASE_URL"] ?? "", 40)

    const host = yield* startInstance()
    yield* eventually(
      "its quote is dropped",
      get(`${host.url}/deposit-addresses?requestId=${own.requestId}`),
      ({ status }) => status === 404
    )
    const inDepository = yield* held(alpha, ETH, depository)
    yield* payTo(alpha, stranger, own.depositAddress, ETH, ETH.some)
    assert.strictEqual(
      (yield* reindex(host.url, { chainId: alpha.chainId, depositAddress: own.depositAddress })).status,
      200
    )
    yield* eventually("it is his on the hub", closed(host.url, "foreign"), (count) => count === 1)
    assert.strictEqual((yield* held(alpha, ETH, depository)) - inDepository, ETH.some)
    assert.strictEqual(yield* held(alpha, ETH, refundTo), 0n)
    yield* eventually("an operator is told", counter(host.url, "alarms_total", "unrefundable"), (count) => count === 1)
    yield* eventually(
      "and why",
      Effect.sync(() => host.output()),
      (output) => output.includes("does not go back besides")
    )
  })))
