/**
 * Fills on Tron that go wrong between the node and the block: a broadcast that is never answered until the payment has
 * expired, one whose answer is lost, and a call that fails in its block. Also a refund whose call does.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther, zeroAddress } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { evmAddress, toEvm } from "../../../localnet/nodes/tron/node/Account.ts"
import { greedyToken } from "../../../localnet/nodes/tron/testing/OddContracts.ts"
import { execute, post, postQuote, quote } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { alarms, balanceOf, closed, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, isSentBy, namedBy, orderIn, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"

const ADMIN = "a-token-of-thirty-two-characters-or-more"

class Running extends fixtureOf<Running>()(
  "test/TronFailures",
  startFixture(startTronNetwork, { settings: () => ({ ADMIN_TOKEN: ADMIN }) })
) {}

/** The node tells another energy than a call takes. */
const tells = (energy: number) => ({
  kind: "lie",
  methods: ["/wallet/triggerconstantcontract"],
  tell: (said: unknown) => typeof said === "object" ? { ...said, energy_used: energy } : said
} as const)
const tellsLess = tells(500)

/** A user's quote for a currency of the chain, and its payee, who has nothing yet. */
const begun = Effect.fnUntraced(function*(index: number, currency: string, changes: object = {}) {
  const { chains, url, user } = yield* Running
  const recipient = newTronAddress()
  const quoted = yield* quote(url, toTron(user(index), recipient, chains.alpha.chainId, currency, changes))
  return { recipient, quoted }
})

/** The results of all transactions in blocks that name the order. */
const resultsOf = Effect.fnUntraced(function*(quoted: QuoteAnswer) {
  const { tron: { chain: { ledger } } } = yield* Running
  return [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed)
    .filter(({ transaction }) => namedBy(transaction) === orderIdOf(quoted)).map(({ result }) => result)
})

/** It ends with exactly this payment, and nothing follows. */
const paidOnce = Effect.fnUntraced(function*({ quoted, recipient }: Effect.Success<ReturnType<typeof begun>>) {
  const { heldOnTron, tron, url, whileMining } = yield* Running
  assert.strictEqual((yield* whileMining(endedAnywhere(url, quoted))).status, "success")
  yield* tron.mine(25)
  assert.deepStrictEqual(yield* resultsOf(quoted), ["SUCCESS"])
  assert.strictEqual(yield* heldOnTron(TRX, recipient), BigInt(quoted.details.currencyOut.amount))
})

layer(Running.layer, { excludeTestServices: true })("a fill on Tron", (it) => {
  it.effect("whose call fails in its block is refunded once that is final, and not made again", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, key, tron, url, whileMining } = yield* Running
      const refundTo = fresh()
      const { quoted, recipient } = yield* begun(0, usdt, { refundTo })
      yield* tron.setFault(tellsLess)
      yield* execute(chains.alpha, key(0), quoted)
      yield* eventually(
        "it is in a block",
        Effect.andThen(tron.mine(), resultsOf(quoted)),
        (results) => results.length === 1
      )
      yield* tron.setFault(undefined)
      assert.deepInclude(yield* whileMining(endedAnywhere(url, quoted)), { status: "refund" })
      yield* tron.mine(25)
      assert.deepStrictEqual(yield* resultsOf(quoted), ["OUT_OF_ENERGY"])
      assert.strictEqual(yield* heldOnTron(usdt, recipient), 0n)
      const returned = yield* balanceOf(chains.alpha, refundTo)
      assert.isTrue(returned > 0n && returned < parseEther("0.05"), `${returned}`)
    }))

  it.effect("is paid once when the node has taken it and its answer is lost", () =>
    Effect.gen(function*() {
      const { chains, key, tron } = yield* Running
      const transfer = yield* begun(1, TRX)
      let broadcasts = 0
      yield* tron.setFault({
        kind: "lie",
        methods: ["/wallet/broadcasthex"],
        tell: () => {
          broadcasts += 1
          return "<html>"
        }
      })
      yield* execute(chains.alpha, key(1), transfer.quoted)
      yield* eventually("it is sent again", Effect.sync(() => broadcasts), (count) => count > 1)
      yield* tron.setFault(undefined)
      yield* paidOnce(transfer)
    }))

  it.effect("is made again when its broadcast has no answer until it has expired, and never twice", () =>
    Effect.gen(function*() {
      const { chains, key, tron } = yield* Running
      const transfer = yield* begun(2, TRX)
      const seen = new Set<string>()
      // The node is asked, and is not done before the payment has expired.
      yield* tron.setFault({ kind: "delay", methods: ["/wallet/broadcasthex"], milliseconds: 5_000 })
      yield* execute(chains.alpha, key(2), transfer.quoted)
      yield* eventually(
        "it waits for the node or a block",
        Effect.sync(() => {
          for (const { txID } of tron.chain.waiting()) seen.add(txID)
          return seen.size
        }),
        (count) => count > 0
      )
      tron.chain.wait(tron.chain.ledger.tip.timestamp + 11 * 60_000)
      yield* Effect.promise(() => tron.chain.mine(21))
      yield* tron.setFault(undefined)
      yield* paidOnce(transfer)
      const [first] = seen
      assert.isUndefined(tron.chain.ledger.placeOf(first ?? ""))
    }))
})

/** Lets USDT keep a hundredth of each transfer, as an upgrade of its code would, while something runs. */
const greedyUsdt = Effect.gen(function*() {
  const { tron } = yield* Running
  const { evm, ledger } = tron.chain
  const somebody = yield* tron.wallet("somebody")
  const { arguments: encoded, code, name } = greedyToken
  const id = yield* Effect.promise(() => somebody.create(name, [], code, encoded))
  yield* tron.mine()
  const created = ledger.placeOf(id)?.executed.created ?? assert.fail("it was not deployed")
  const codeAt = (account: string) => Effect.promise(() => evm.code(account, ledger.tip.evmHeight))
  const [usual, greedy] = [yield* codeAt(toEvm(usdt)), yield* codeAt(evmAddress(created))]
  const put = (next: string) => Effect.andThen(Effect.promise(() => evm.setCode(toEvm(usdt), next)), tron.mine())
  return <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.ensuring(Effect.andThen(put(greedy), body), put(usual))
})

layer(Running.layer, { excludeTestServices: true })("a token on Tron that keeps a part of each transfer", (it) => {
  it.effect("is refused by name, as what is paid and as what would be refunded", () =>
    Effect.gen(function*() {
      const { chains, fresh, other, url, user } = yield* Running
      const refused = yield* (yield* greedyUsdt)(Effect.all([
        postQuote(url, toTron(user(3), newTronAddress(), chains.alpha.chainId, usdt)),
        postQuote(url, fromTron(other, fresh(), [chains.alpha.chainId, zeroAddress], [usdt, 50_000_000n]))
      ]))
      assert.deepStrictEqual(refused.map(({ status }) => status), [400, 400])
      for (const [index, field] of ["destinationCurrency", "originCurrency"].entries()) {
        const answer = refused[index]?.json() as { readonly errorCode: string; readonly message: string }
        assert.strictEqual(answer.errorCode, "UNSUPPORTED_CURRENCY")
        assert.match(answer.message, new RegExp(`^${field}: USDT on Local Tron keeps a fee of each transfer`))
      }
    }))

  it.effect("and began to between a fill's trial and its block raises an alarm with both amounts, and the deposit goes back", () =>
    Effect.gen(function*() {
      const { chains, heldOnTron, host, key, tron, url, whileMining } = yield* Running
      const whileGreedy = yield* greedyUsdt
      const { quoted, recipient } = yield* begun(3, usdt)
      const before = yield* alarms(url, "paid-in-part")
      // The other code takes more of it.
      yield* tron.setFault(tells(200_000))
      yield* execute(chains.alpha, key(3), quoted)
      const waiting = Effect.sync(() => tron.chain.waiting().length)
      yield* eventually("the fill waits for a block", waiting, (count) => count > 0)
      yield* tron.setFault(undefined)
      const ended = yield* whileGreedy(whileMining(endedAnywhere(url, quoted)))
      assert.strictEqual(ended.status, "refund")
      assert.strictEqual((yield* alarms(url, "paid-in-part")) - before, 1)
      const amount = BigInt(quoted.details.currencyOut.amount)
      const moved = amount - amount / 100n
      assert.strictEqual(yield* heldOnTron(usdt, recipient), moved)
      assert.include(host.output(), `moved ${moved} of ${amount} USDT to ${recipient} and counts as not paid`)
      yield* tron.mine(25)
      assert.deepStrictEqual(yield* resultsOf(quoted), ["SUCCESS"])
    }))
})

layer(Running.layer, { excludeTestServices: true })("a refund on Tron", (it) => {
  it.effect("that fails in its block is not made again by itself, and once by an operator's retry (REFUND-10)", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, other, tron, url } = yield* Running
      const quoted = yield* quoteTron(
        url,
        fromTron(other, fresh(), [chains.alpha.chainId, zeroAddress], [usdt, 50_000_000n])
      )
      const held = heldOnTron(usdt, other.key.address)
      const filled = yield* closed(url, "filled")
      yield* carriedOut(other, quoted)
      yield* tron.mine()
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      // A retry would begin an open one again.
      yield* eventually(
        "its filling has ended",
        Effect.andThen(tron.mine(), closed(url, "filled")),
        (count) => count === filled + 1
      )
      // A second one for the order is refunded.
      yield* carriedOut(other, quoted)
      yield* tron.setFault(tellsLess)
      yield* tron.mine()
      const sent = yield* held
      const before = yield* closed(url, "unrefundable")
      const mining = (count: number) =>
        eventually(
          "it is unrefundable",
          Effect.andThen(tron.mine(), closed(url, "unrefundable")),
          (ended) => ended === before + count
        )
      const retry = post(`${url}/admin/requests/${quoted.steps[0]?.requestId ?? ""}/retry`, {}, {
        authorization: `Bearer ${ADMIN}`
      })
      const results = Effect.sync(() =>
        [...tron.chain.ledger.from(1, tron.chain.ledger.tip.number)].flatMap(({ executed }) => executed)
          .filter(({ transaction }) => namedBy(transaction) === orderIn(quoted) && !isSentBy(other.key, transaction))
          .map(({ result }) => result)
      )
      yield* mining(1)
      yield* tron.mine(25)
      assert.deepStrictEqual([yield* results, (yield* held) - sent], [["OUT_OF_ENERGY"], 0n])
      // Still too little: it costs another fee, and ends.
      assert.deepStrictEqual((yield* retry).json(), { deposits: 1, settlements: 0 })
      yield* mining(2)
      assert.deepStrictEqual(yield* results, ["OUT_OF_ENERGY", "OUT_OF_ENERGY"])
      yield* tron.setFault(undefined)
      const refunded = yield* closed(url, "refunded")
      yield* retry
      yield* eventually(
        "it is refunded",
        Effect.andThen(tron.mine(), closed(url, "refunded")),
        (count) => count === refunded + 1
      )
      assert.deepStrictEqual((yield* retry).json(), { deposits: 0, settlements: 0 })
      yield* tron.mine(5)
      assert.deepStrictEqual(yield* results, ["OUT_OF_ENERGY", "OUT_OF_ENERGY", "SUCCESS"])
      assert.isTrue((yield* held) - sent < 50_000_000n)
    }))
})
